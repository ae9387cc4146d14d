import type { Transaction } from '@batua/sdk'
import { Group, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useSession } from '../../api/api.tsx'
import { useRead } from '../../api/use-read.ts'
import { Choice } from '../../components/choice.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Status } from '../../components/status.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import classes from '../agent.module.css'
import type { SectionProps } from '../agent-sections.tsx'
import { agentTexts } from '../agent-texts.ts'
import { DownloadStatement } from './download-statement.tsx'

/** The lines of a wallet, newest first. */
export function Statement({ agent, search: { type, offset = 0 }, onSearch }: SectionProps) {
  const t = useTexts(agentTexts)
  const session = useSession()
  const lines = useRead('listTransactions', {
    agent_id: agent.agent_id,
    ...(type === undefined ? {} : { type }),
    limit: 20,
    offset,
  })
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>{t.statement}</Title>
        <Group gap="md">
          {session === 'owner' && (
            <Link to="/money" search={{ section: 'transactions', agent: agent.agent_id }}>
              {t.searchLines}
            </Link>
          )}
          <DownloadStatement agentId={agent.agent_id} />
        </Group>
      </Group>
      <Choice
        label={t.whichLines}
        value={type ?? 'all'}
        options={{ all: t.all, pay_out: t.paid, pay_in: t.received, fund: t.funded, withdraw: t.withdrawn }}
        onChange={chosen => onSearch(chosen === 'all' ? {} : { type: chosen })}
      />
      <List
        query={lines}
        loading={t.loadingStatement}
        rows={({ transactions }) => transactions}
        empty={<NoLines isFiltered={type !== undefined} />}
        onOffset={next => onSearch({ type, offset: next })}
      >
        {transactions => <Lines lines={transactions} />}
      </List>
    </Stack>
  )
}

function NoLines({ isFiltered }: { readonly isFiltered: boolean }) {
  const t = useTexts(agentTexts)
  if (isFiltered) {
    return (
      <NothingFound icon="money" section="statement">
        {t.noSuchLines}
      </NothingFound>
    )
  }
  const toOverview = (
    <NextStep to="." search={{}}>
      {t.addMoney}
    </NextStep>
  )
  return (
    <EmptyState icon="money" title={t.noLines} action={toOverview}>
      {t.noLinesHint}
    </EmptyState>
  )
}

interface LinesProps {
  readonly lines: readonly Transaction[]
  /** Names the agent of each line, where there are several. */
  readonly withAgent?: boolean
}

export function Lines({ lines, withAgent = false }: LinesProps) {
  const t = useTexts(agentTexts)
  const agent = { id: 'agent', name: t.agent, cell: ({ agent_name }: Transaction) => agent_name }
  const columns: readonly Column<Transaction>[] = [
    { id: 'what', name: t.what, cell: line => <What line={line} /> },
    ...(withAgent ? [agent] : []),
    { id: 'status', name: t.status, cell: ({ status }) => <Status is={status} /> },
    { id: 'at', name: t.at, cell: ({ created_at }) => <Moment at={created_at} /> },
    { id: 'amount', name: t.amount, align: 'end', cell: line => <Net line={line} /> },
  ]
  return <DataTable label={t.statement} columns={columns} rows={lines} rowKey={({ id }) => id} />
}

function What({ line: { type, counterparty_name, note, reference } }: { readonly line: Transaction }) {
  const t = useTexts(agentTexts)
  const detail = note ?? reference
  return (
    <Stack gap={0}>
      <Text fw={600}>{t.lines[type](counterparty_name ?? '')}</Text>
      {detail !== null && (
        <Text size="sm" c="dimmed">
          {detail}
        </Text>
      )}
    </Stack>
  )
}

/** What the wallet gained or lost. */
function Net({ line: { type, net_amount } }: { readonly line: Transaction }) {
  const format = useFormat()
  const isGain = type === 'fund' || type === 'pay_in'
  return (
    <span className={isGain ? `figures ${classes.gained}` : 'figures'}>
      {isGain ? '+' : '−'}
      {format.amount(net_amount)}
    </span>
  )
}
