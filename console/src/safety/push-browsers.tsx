import { Stack, Text, Title } from '@mantine/core'
import type { ResultOf } from '../api/api.tsx'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { useTexts } from '../language/language.tsx'
import { notificationTexts } from './notification-texts.ts'

type Subscription = ResultOf<'listPushSubscriptions'>['push_subscriptions'][number]

/** The browsers that notify the owner, each to be removed. */
export function PushBrowsers() {
  const t = useTexts(notificationTexts)
  const browsers = useRead('listPushSubscriptions', {})
  const columns: readonly Column<Subscription>[] = [
    { id: 'browser', name: t.browser, cell: subscription => <Named subscription={subscription} /> },
    { id: 'added', name: t.added, cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      id: 'notified',
      name: t.lastNotified,
      cell: ({ last_notified_at: at }) => (at === null ? '–' : <Moment at={at} />),
    },
    { id: 'act', name: t.act, align: 'end', cell: subscription => <Remove subscription={subscription} /> },
  ]
  return (
    <Stack gap="xs">
      <Title order={3}>{t.browsers}</Title>
      <Loaded query={browsers} loading={t.loadingBrowsers}>
        {({ push_subscriptions: list }) =>
          list.length === 0 ? (
            <Text c="dimmed">{t.noBrowsers}</Text>
          ) : (
            <Card flush>
              <DataTable
                label={t.browsers}
                columns={columns}
                rows={list}
                rowKey={({ subscription_id }) => subscription_id}
              />
            </Card>
          )
        }
      </Loaded>
    </Stack>
  )
}

function Named({ subscription: { agent_hint, current } }: { readonly subscription: Subscription }) {
  const t = useTexts(notificationTexts)
  return (
    <Stack gap={0}>
      <Text fw={600}>{agent_hint ?? t.unknown}</Text>
      {current && (
        <Text size="sm" c="dimmed">
          {t.current}
        </Text>
      )}
    </Stack>
  )
}

function Remove({ subscription: { subscription_id, agent_hint } }: { readonly subscription: Subscription }) {
  const t = useTexts(notificationTexts)
  return (
    <ConfirmButton
      operation="endPushSubscription"
      input={{ subscription_id }}
      act={t.remove}
      title={t.removeOne(agent_hint ?? t.unknown)}
      done={() => t.removed}
    >
      {t.removeHint}
    </ConfirmButton>
  )
}
