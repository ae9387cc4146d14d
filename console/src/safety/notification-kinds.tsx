import { Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ResultOf } from '../api/api.tsx'
import { useAct } from '../api/use-act.ts'
import { type Column, DataTable } from '../components/data-table.tsx'
import { ErrorLine } from '../components/error-notice.tsx'
import { useTexts } from '../language/language.tsx'
import { notificationTexts } from './notification-texts.ts'

export type Settings = ResultOf<'getNotificationSettings'>
type Kind = keyof Settings['kinds']
type Channel = 'push' | 'message'

interface Row {
  readonly kind: Kind
}

/** Each kind with its channels. Nothing is checked until the owner checks it. */
export function NotificationKinds({ settings }: { readonly settings: Settings }) {
  const t = useTexts(notificationTexts)
  const rows = (Object.keys(settings.kinds) as Kind[]).map(kind => ({ kind }))
  const of = (channel: Channel) => (row: Row) => <ChannelBox settings={settings} channel={channel} {...row} />
  const columns: readonly Column<Row>[] = [
    { id: 'kind', name: t.event, cell: ({ kind }) => <Text fw={600}>{t.kind[kind]}</Text> },
    { id: 'push', name: t.push, cell: of('push') },
    ...(settings.message_available ? [{ id: 'message', name: t.message, cell: of('message') }] : []),
  ]
  return <DataTable label={t.kinds} columns={columns} rows={rows} rowKey={({ kind }) => kind} />
}

interface ChannelBoxProps extends Row {
  readonly settings: Settings
  readonly channel: Channel
}

/** One box. It shows at once what was chosen; if the service refuses it, what holds, and why. */
function ChannelBox({ settings, kind, channel }: ChannelBoxProps) {
  const t = useTexts(notificationTexts)
  const change = useAct('updateNotificationSettings')
  const [chosen, choose] = useState<boolean | null>(null)
  const set = (isOn: boolean) => {
    choose(isOn)
    change.mutate({ kinds: { [kind]: { [channel]: isOn } } }, { onSettled: () => choose(null) })
  }
  return (
    <Stack gap={0}>
      <Checkbox
        aria-label={channel === 'push' ? t.byPush(t.kind[kind]) : t.byMessage(t.kind[kind])}
        checked={chosen ?? settings.kinds[kind][channel]}
        onChange={event => set(event.currentTarget.checked)}
      />
      {change.error !== null && <ErrorLine error={change.error} />}
    </Stack>
  )
}
