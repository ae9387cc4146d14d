import { Group, Stack, Text, Title } from '@mantine/core'
import type { ResultOf } from '../api/api.tsx'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
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
  if (current) return '–'
  return (
    <ConfirmButton
      operation="endSession"
      input={{ session_id }}
      act={t.end}
      title={t.endOne(agent_hint ?? t.unknown)}
      done={() => t.ended}
    >
      {t.endHint}
    </ConfirmButton>
  )
}

function EndOthers() {
  const t = useTexts(safetyTexts)
  return (
    <ConfirmButton
      operation="endOtherSessions"
      input={{}}
      act={t.endOthers}
      title={t.endOthers}
      size="md"
      done={({ ended }) => t.othersEnded(ended)}
    >
      {t.endOthersHint}
    </ConfirmButton>
  )
}
