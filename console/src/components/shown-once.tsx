import { Button, Group, Stack, Text } from '@mantine/core'
import { useTexts } from '../language/language.tsx'
import { Copy } from './copy.tsx'
import { componentTexts } from './texts.ts'

interface ShownOnceProps {
  /** What it is called: `agent key`. */
  readonly what: string
  /** null: the response with it was lost, and a repetition does not show it. */
  readonly secret: string | null
  /** Where it belongs. */
  readonly children: string
  readonly onStored: () => void
}

/** A key or secret that was just made: it is on the screen until its reader has stored it, and nowhere else. */
export function ShownOnce({ what, secret, children, onStored }: ShownOnceProps) {
  const t = useTexts(componentTexts)
  if (secret === null) return <Text role="alert">{t.secretGone}</Text>
  return (
    <Stack role="group" aria-label={what} gap="sm">
      <Text fw={600} role="status">
        {children}
      </Text>
      <Copy what={what} text={secret} />
      <Group>
        <Button onClick={onStored}>{t.stored}</Button>
      </Group>
    </Stack>
  )
}
