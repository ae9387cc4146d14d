import { Stack, Text, Title } from '@mantine/core'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useTexts } from '../../language/language.tsx'
import { Steps } from './steps.tsx'
import { startTexts } from './texts.ts'

/** The platform, and the steps to its first payment with the code that makes each. */
export function StartPage() {
  const t = useTexts(startTexts)
  const platform = useRead('getCurrentPlatform', {})
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <Loaded query={platform} loading={t.loading}>
        {({ name, platform_id, webhook_url }) => (
          <Stack>
            <Card>
              <Title order={2}>{t.platform}</Title>
              <Facts
                facts={[
                  [t.name, name],
                  [t.id, platform_id],
                  [t.webhookUrl, webhook_url ?? t.none],
                ]}
              />
            </Card>
            <Steps hasWebhook={webhook_url !== null} />
            <Text c="dimmed">{t.docs}</Text>
          </Stack>
        )}
      </Loaded>
    </>
  )
}
