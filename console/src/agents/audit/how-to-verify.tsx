import { Stack, Text } from '@mantine/core'
import { Copy } from '../../components/copy.tsx'
import { useTexts } from '../../language/language.tsx'
import { auditTexts } from './texts.ts'

interface HowToVerifyProps {
  /** The names of the downloaded files, as the command takes them. */
  readonly files: string
}

/** How downloaded proofs are checked on another computer. */
export function HowToVerify({ files }: HowToVerifyProps) {
  const t = useTexts(auditTexts)
  return (
    <details>
      <summary>{t.verify}</summary>
      <Stack gap="sm" mt="sm">
        <Text>
          {t.verifySteps}{' '}
          <a href="/.well-known/service-keys.json" download="keys.json">
            {t.keys}
          </a>
        </Text>
        <Copy what={t.command} text={`npm run --silent verify -- ${files} --keys keys.json`} />
      </Stack>
    </details>
  )
}
