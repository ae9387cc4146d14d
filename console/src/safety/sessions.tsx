import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { ResultOf } from '../api/api.tsx'
import { useAct } from '../api/use-act.ts'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { Confirm } from '../components/confirm.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useTexts } from '../language/language.tsx'
import { safetyTexts } from './texts.ts'

type Session = ResultOf<'listSessions'>['sessions'][number]

/** The open sessions, each to be ended, or all others at once. */
export function Sessions() {
  const t = useTexts(safetyTexts)
  const sessions = useRead('listSessions', {})
  const columns: readonly Column<Session>[] = [
    { id: 'agent', name: t.browser, cell: session => <Browser session={session} /> },
    { id: 'address', name: t.network, cell: ({ address_hint }) => address_hint ?? '–' },
    { id: 'created', name: t.opened, cell: ({ created_at }) => <Moment at={created_at} /> },
    { id: 'used', name: t.used, cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
    { id: 'act', name: t.act, align: 'end', cell: session => <EndOne session={session} /> },
  ]
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{t.sessions}</Title>
        {(sessions.data?.sessions.length ?? 0) > 1 && <EndOthers />}
      </Group>
      <Loaded query={sessions} loading={t.loading}>
        {({ sessions: list }) => (
          <Card flush>
            <DataTable
              label={t.sessions}
              columns={columns}
              rows={list}
              rowKey={({ session_id }) => session_id}
            />
          </Card>
        )}
      </Loaded>
    </Stack>
  )
}

function Browser({ session: { agent_hint, current } }: { readonly session: Session }) {
  const t = useTexts(safetyTexts)
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

function EndOne({ session: { session_id, agent_hint, current } }: { readonly session: Session }) {
  const t = useTexts(safetyTexts)
  const end = useAct('endSession', { onDone: () => sayDone(t.ended) })
  if (current) return '–'
  return (
    <Button
      size="sm"
      variant="default"
      aria-label={t.endOne(agent_hint ?? t.unknown)}
      loading={end.isPending}
      onClick={() => end.mutate({ session_id })}
    >
      {t.end}
    </Button>
  )
}

function EndOthers() {
  const t = useTexts(safetyTexts)
  const [isAsked, ask] = useState(false)
  const end = useAct('endOtherSessions', {
    onDone: ({ ended }) => {
      ask(false)
      sayDone(t.othersEnded(ended))
    },
  })
  return (
    <>
      <Button variant="default" onClick={() => ask(true)}>
        {t.endOthers}
      </Button>
      <Confirm
        opened={isAsked}
        title={t.endOthers}
        act={t.endOthers}
        acting={end.isPending}
        error={end.error}
        onAct={() => end.mutate({})}
        onClose={() => ask(false)}
      >
        <Text>{t.endOthersHint}</Text>
      </Confirm>
    </>
  )
}
