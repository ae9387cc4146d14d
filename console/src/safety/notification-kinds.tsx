import { Checkbox, Text } from '@mantine/core'
import type { ResultOf } from '../api/api.tsx'
import { useAct } from '../api/use-act.ts'
import { type Column, DataTable } from '../components/data-table.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
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
  const change = useAct('updateNotificationSettings')
  const rows = (Object.keys(settings.kinds) as Kind[]).map(kind => ({ kind }))
  const box = (kind: Kind, channel: Channel) => (
    <Checkbox
      aria-label={channel === 'push' ? t.byPush(t.kind[kind]) : t.byMessage(t.kind[kind])}
      checked={settings.kinds[kind][channel]}
      disabled={change.isPending}
      onChange={event => change.mutate({ kinds: { [kind]: { [channel]: event.currentTarget.checked } } })}
    />
  )
  const columns: readonly Column<Row>[] = [
    { id: 'kind', name: t.event, cell: ({ kind }) => <Text fw={600}>{t.kind[kind]}</Text> },
    { id: 'push', name: t.push, cell: ({ kind }) => box(kind, 'push') },
    ...(settings.message_available
      ? [{ id: 'message', name: t.message, cell: ({ kind }: Row) => box(kind, 'message') }]
      : []),
  ]
  return (
    <>
      {change.error !== null && <ErrorNotice error={change.error} />}
      <DataTable label={t.kinds} columns={columns} rows={rows} rowKey={({ kind }) => kind} />
    </>
  )
}
