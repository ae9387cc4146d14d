import type { BulkResults } from '@batua/sdk'
import { Button, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Card } from '../../components/card.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Status } from '../../components/status.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import classes from '../admin.module.css'
import { AgentLink } from '../links.tsx'
import { adminTexts } from '../texts.ts'
import { networkTexts } from './texts.ts'

/** The names of agents by their ids. */
export type Named = ReadonlyMap<string, string>
export type Result = BulkResults['results'][number]

type Act = 'freeze' | 'quarantine' | 'restore'
const ACTS: readonly Act[] = ['freeze', 'quarantine', 'restore']
const SHOWN_NAMES = 10

interface ContainmentProps {
  readonly agents: Named
  readonly onDone: (results: readonly Result[]) => void
}

/** Freezes, quarantines or restores agents at once, after one question. */
export function Containment({ agents, onDone }: ContainmentProps) {
  const t = useTexts(networkTexts)
  const [asking, ask] = useState<Act | null>(null)
  return (
    <Group gap="sm">
      {ACTS.map(act => (
        <Button
          key={act}
          {...(act === 'freeze' ? { color: 'red' } : { variant: 'default' })}
          onClick={() => ask(act)}
        >
          {t.acts[act]}
        </Button>
      ))}
      {asking !== null && (
        <Ask
          act={asking}
          agents={agents}
          onClose={() => ask(null)}
          onDone={results => {
            ask(null)
            onDone(results)
          }}
        />
      )}
    </Group>
  )
}

interface AskProps extends ContainmentProps {
  readonly act: Act
  readonly onClose: () => void
}

function Ask({ act, agents, onClose, onDone }: AskProps) {
  const t = useTexts(networkTexts)
  const contain = useContain(act, results => {
    const refused = results.filter(({ error }) => error !== null).length
    onDone(results)
    sayDone(t.done(results.length - refused, refused))
  })
  const names = [...agents.values()]
  return (
    <Confirm
      opened
      title={t.ask[act](agents.size)}
      act={t.acts[act]}
      danger={act !== 'restore'}
      acting={contain.isPending}
      error={contain.error}
      onAct={() => contain.mutate({ agent_ids: [...agents.keys()] })}
      onClose={onClose}
    >
      <Text>{t.explain[act]}</Text>
      <ul className={classes.names}>
        {[...agents].slice(0, SHOWN_NAMES).map(([id, name]) => (
          <li key={id}>{name}</li>
        ))}
        {names.length > SHOWN_NAMES && <li>{t.others(names.length - SHOWN_NAMES)}</li>}
      </ul>
    </Confirm>
  )
}

function useContain(act: Act, onDone: (results: readonly Result[]) => void) {
  const done = { onDone: ({ results }: BulkResults) => onDone(results) }
  const freeze = useAct('bulkFreezeAgents', done)
  const quarantine = useAct('bulkQuarantineAgents', done)
  const restore = useAct('bulkRestoreAgents', done)
  return { freeze, quarantine, restore }[act]
}

interface ResultsProps {
  readonly results: readonly Result[]
  readonly names: Named
}

/** What a bulk act came to for each agent. */
export function Results({ results, names }: ResultsProps) {
  const t = useTexts(networkTexts)
  const common = useTexts(adminTexts)
  const columns: readonly Column<Result>[] = [
    {
      id: 'agent',
      name: common.agent,
      cell: ({ agent_id }) => <AgentLink id={agent_id} name={names.get(agent_id)} />,
    },
    {
      id: 'status',
      name: common.state,
      cell: ({ status }) => (status === null ? t.unknown : <Status is={status} />),
    },
    { id: 'error', name: t.refused, cell: ({ error }) => error?.message ?? '–' },
  ]
  return (
    <section>
      <Title order={2} mb="sm">
        {t.results}
      </Title>
      <Card flush>
        <DataTable label={t.results} columns={columns} rows={results} rowKey={({ agent_id }) => agent_id} />
      </Card>
    </section>
  )
}
