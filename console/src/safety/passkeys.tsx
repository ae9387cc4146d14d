import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { type ResultOf, useSession } from '../api/api.tsx'
import { useAct } from '../api/use-act.ts'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useNow } from '../components/use-now.ts'
import { useFormat, useTexts } from '../language/language.tsx'
import { AddPasskey } from './add-passkey.tsx'
import { passkeyTexts } from './passkey-texts.ts'
import { RemovePasskey } from './remove-passkey.tsx'

type Passkey = ResultOf<'listPasskeys'>['passkeys'][number]

/** The passkeys of this person: to add one, to remove one, and to keep one that would be removed. */
export function Passkeys() {
  const t = useTexts(passkeyTexts)
  const isOwner = useSession() === 'owner'
  const passkeys = useRead('listPasskeys', {})
  const now = useNow(60_000)
  const [asking, ask] = useState<'to add' | Passkey | null>(null)
  const list = passkeys.data?.passkeys ?? []
  const canConfirm = list.some(({ effective_at }) => new Date(effective_at) <= now)
  const dialog = { canConfirm, onClose: () => ask(null) }
  const add = (
    <Button variant={list.length > 0 ? 'default' : 'filled'} onClick={() => ask('to add')}>
      {t.add}
    </Button>
  )
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{t.title}</Title>
        {list.length > 0 && add}
      </Group>
      <Text c="dimmed">{isOwner ? t.hint : t.adminHint}</Text>
      <Loaded query={passkeys} loading={t.loading}>
        {({ passkeys: rows }) => (
          <Card flush={rows.length > 0}>
            {rows.length === 0 ? (
              <EmptyState title={t.none} icon="safety" action={add}>
                {t.noneHint}
              </EmptyState>
            ) : (
              <PasskeyTable passkeys={rows} now={now} onRemove={ask} />
            )}
          </Card>
        )}
      </Loaded>
      {asking === 'to add' && <AddPasskey {...dialog} />}
      {asking !== null && asking !== 'to add' && <RemovePasskey passkey={asking} {...dialog} />}
    </Stack>
  )
}

interface PasskeyTableProps {
  readonly passkeys: readonly Passkey[]
  readonly now: Date
  readonly onRemove: (passkey: Passkey) => void
}

function PasskeyTable({ passkeys, now, onRemove }: PasskeyTableProps) {
  const t = useTexts(passkeyTexts)
  const columns: readonly Column<Passkey>[] = [
    { id: 'name', name: t.name, cell: passkey => <Named passkey={passkey} now={now} /> },
    { id: 'created', name: t.created, cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      id: 'used',
      name: t.used,
      cell: ({ last_used_at }) => (last_used_at === null ? t.never : <Moment at={last_used_at} />),
    },
    {
      id: 'act',
      name: t.act,
      align: 'end',
      cell: passkey =>
        passkey.removed_at === null ? (
          <Button
            size="sm"
            variant="default"
            aria-label={t.removeOne(passkey.name)}
            onClick={() => onRemove(passkey)}
          >
            {t.remove}
          </Button>
        ) : (
          <Keep passkey={passkey} />
        ),
    },
  ]
  return (
    <DataTable label={t.title} columns={columns} rows={passkeys} rowKey={({ passkey_id }) => passkey_id} />
  )
}

/** The name, and since or until when it can be used where that is not now. */
function Named({ passkey, now }: { readonly passkey: Passkey; readonly now: Date }) {
  const t = useTexts(passkeyTexts)
  const format = useFormat()
  const { name, effective_at, removed_at } = passkey
  const state =
    removed_at !== null
      ? t.leaves(format.moment(removed_at, now))
      : new Date(effective_at) > now
        ? t.waits(format.moment(effective_at, now))
        : null
  return (
    <Stack gap={0}>
      <Text fw={600}>{name}</Text>
      {state !== null && (
        <Text size="sm" c="dimmed">
          {state}
        </Text>
      )}
    </Stack>
  )
}

function Keep({ passkey: { passkey_id, name } }: { readonly passkey: Passkey }) {
  const t = useTexts(passkeyTexts)
  const keep = useAct('keepPasskey', { onDone: () => sayDone(t.kept) })
  return (
    <Button
      size="sm"
      variant="default"
      aria-label={t.keepOne(name)}
      loading={keep.isPending}
      onClick={() => keep.mutate({ passkey_id })}
    >
      {t.keep}
    </Button>
  )
}
