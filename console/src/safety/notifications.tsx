import { Group, Stack, Text } from '@mantine/core'
import { useAct } from '../api/use-act.ts'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { Choice } from '../components/choice.tsx'
import { Loaded } from '../components/loaded.tsx'
import { SectionTitle } from '../components/section-title.tsx'
import { useTexts } from '../language/language.tsx'
import { NotificationKinds, type Settings } from './notification-kinds.tsx'
import { notificationTexts } from './notification-texts.ts'
import { PushBrowsers } from './push-browsers.tsx'
import { PushHere } from './push-here-card.tsx'

/** What the owner is notified of, in which language, and in which browsers. */
export function Notifications() {
  const t = useTexts(notificationTexts)
  const settings = useRead('getNotificationSettings', {})
  return (
    <Stack>
      <SectionTitle hint={t.hint}>{t.title}</SectionTitle>
      <Loaded query={settings} loading={t.loading}>
        {chosen => (
          <Stack>
            <PushHere settings={chosen} />
            <Card flush>
              <NotificationKinds settings={chosen} />
            </Card>
            <Language settings={chosen} />
          </Stack>
        )}
      </Loaded>
      <PushBrowsers />
    </Stack>
  )
}

function Language({ settings }: { readonly settings: Settings }) {
  const t = useTexts(notificationTexts)
  const change = useAct('updateNotificationSettings')
  return (
    <Group justify="space-between" align="baseline">
      <Text>{t.language}</Text>
      <Choice
        label={t.language}
        value={settings.language}
        options={t.languages}
        onChange={language => change.mutate({ language })}
      />
    </Group>
  )
}
