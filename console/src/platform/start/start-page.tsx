import { Stack, Text } from '@mantine/core'
import { useRead } from '../../api/use-read.ts'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useTexts } from '../../language/language.tsx'
import { PlatformCard } from './platform-card.tsx'
import { Steps } from './steps.tsx'
import { startTexts } from './texts.ts'

/** The platform, and the steps to its first payment with the code that makes each. */
export function StartPage() {
  const t = useTexts(startTexts)
  const platform = useRead('getCurrentPlatform', {})
  const steps = useRead('getFirstSteps', {})
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <Loaded query={platform} loading={t.loading}>
        {found => (
          <Stack>
            <PlatformCard platform={found} />
            <Loaded query={steps} loading={t.loadingSteps}>
              {done => <Steps done={done} hasWebhook={found.webhook_url !== null} />}
            </Loaded>
            <Text c="dimmed">
              <a href="/docs">{t.docs}</a>
            </Text>
          </Stack>
        )}
      </Loaded>
    </>
  )
}
