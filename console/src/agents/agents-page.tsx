import type { Agent, AgentSummary, Pagination, Transaction } from '@batua/sdk'
import { Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../api/api.tsx'
import { useRead } from '../api/use-read.ts'
import { Amount } from '../components/amount.tsx'
import { Card } from '../components/card.tsx'
import { Choice } from '../components/choice.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../components/empty-state.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { PageTitle } from '../components/page-title.tsx'
import { Pages } from '../components/pages.tsx'
import { Status } from '../components/status.tsx'
import { Waiting } from '../components/waiting.tsx'
import { useFormat, useTexts } from '../language/language.tsx'
import classes from './agent.module.css'
import { agentTexts } from './agent-texts.ts'
import { LISTED, OwnersExposure } from './limits/exposure.tsx'
import { exposureTexts } from './limits/exposure-texts.ts'
import { UsedLimit } from './limits/limits.tsx'
import { DownloadStatement } from './money/download-statement.tsx'
import { PauseOrResume } from './pause-or-resume.tsx'
import { agentsTexts } from './texts.ts'

/** What the address says of the list. */
export interface AgentsSearch {
  readonly status?: 'active' | 'paused' | 'deactivated' | undefined
  readonly offset?: number | undefined
}

interface AgentsPageProps {
  readonly search: AgentsSearch
  readonly onSearch: (search: AgentsSearch) => void
  /** The way to a new agent, where there is one. */
  readonly create?: ReactNode
}

/** The agents of an owner or a platform with their money and state, each to be stopped at once. */
export function AgentsPage(props: AgentsPageProps) {
  const { search, onSearch, create } = props
  const t = useTexts(agentsTexts)
  const session = useSession()
  return (
    <>
      <PageTitle lead={t.lead} actions={session === 'owner' ? <DownloadStatement agentId={null} /> : create}>
        {t.title}
      </PageTitle>
      <Choice
        label={t.filter}
        value={search.status ?? 'all'}
        options={{ all: t.all, active: t.active, paused: t.paused, deactivated: t.deactivated }}
        onChange={chosen => onSearch(chosen === 'all' ? {} : { status: chosen })}
      />
      {session === 'platform' ? <PlatformsAgents {...props} /> : <OwnersAgents {...props} />}
    </>
  )
}

/** What both lists ask for. */
function requestOf({ status, offset = 0 }: AgentsSearch) {
  return { ...(status === undefined ? {} : { status }), limit: 20, offset }
}

function PlatformsAgents({ search, onSearch, create }: AgentsPageProps) {
  const t = useTexts(agentsTexts)
  const agents = useRead('listAgents', requestOf(search))
  return (
    <Loaded query={agents} loading={t.loading}>
      {({ agents: list, pagination }) => (
        <Listed
          rows={list.map(agent => ({ agent }))}
          pagination={pagination}
          search={search}
          onSearch={onSearch}
          create={create}
        />
      )}
    </Loaded>
  )
}

/** An owner's agents with their money, in two requests for all rows. */
function OwnersAgents({ search, onSearch }: AgentsPageProps) {
  const t = useTexts(agentsTexts)
  const agents = useRead('listAgentSummaries', requestOf(search))
  const money = useMoneyColumns(search.offset ?? 0)
  return (
    <Loaded query={agents} loading={t.loading}>
      {({ agents: list, pagination }) => (
        <>
          <Listed rows={list} more={money} pagination={pagination} search={search} onSearch={onSearch} />
          {list.length > 0 && (
            <Stack mt="md">
              <OwnersExposure />
            </Stack>
          )}
        </>
      )}
    </Loaded>
  )
}

interface Row {
  readonly agent: Agent
}

interface ListedProps<Each extends Row> extends AgentsPageProps {
  readonly rows: readonly Each[]
  readonly pagination: Pagination
  /** Columns between the state of an agent and what can be done with it. */
  readonly more?: readonly Column<Each>[]
}

function Listed<Each extends Row>(props: ListedProps<Each>) {
  const { rows, pagination, more = [], search, onSearch, create } = props
  const t = useTexts(agentsTexts)
  if (rows.length === 0) return <NoAgents isFiltered={search.status !== undefined} create={create} />
  const columns: readonly Column<Each>[] = [
    { id: 'agent', name: t.agent, cell: ({ agent }) => <Name agent={agent} /> },
    { id: 'status', name: t.status, cell: ({ agent }) => <Status is={agent.status} /> },
    ...more,
    { id: 'act', name: t.act, align: 'end', cell: ({ agent }) => <PauseOrResume agent={agent} /> },
  ]
  return (
    <>
      <Card flush>
        <DataTable label={t.title} columns={columns} rows={rows} rowKey={({ agent }) => agent.agent_id} />
      </Card>
      <Pages pagination={pagination} onOffset={offset => onSearch({ status: search.status, offset })} />
    </>
  )
}

/** Exposure is listed a hundred agents at a time; agents that are not among them have a dash. */
function useMoneyColumns(offset: number): readonly Column<AgentSummary>[] {
  const t = useTexts(agentsTexts)
  const { mostInDay } = useTexts(exposureTexts)
  const listed = offset < LISTED.limit ? LISTED : { ...LISTED, offset: offset - (offset % LISTED.limit) }
  const exposure = useRead('listExposure', listed)
  const mostOf = new Map(exposure.data?.agents.map(each => [each.agent_id, each.day.amount]))
  return [
    { id: 'balance', name: t.balance, align: 'end', cell: summary => <Balance summary={summary} /> },
    {
      id: 'limit',
      name: t.tightest,
      cell: ({ tightest }) =>
        tightest === null ? (
          t.noLimit
        ) : (
          <div className={classes.tightest}>
            <UsedLimit limit={tightest} />
          </div>
        ),
    },
    {
      ...{ id: 'most', name: mostInDay, align: 'end' },
      cell: ({ agent }) => <Most of={mostOf.get(agent.agent_id)} isRead={exposure.data !== undefined} />,
    },
    { id: 'last', name: t.last, cell: ({ last_transaction: line }) => <LastLine line={line} /> },
  ]
}

function Balance({
  summary: { available, held, authorized, pending_approvals },
}: {
  readonly summary: AgentSummary
}) {
  const t = useTexts(agentsTexts)
  const format = useFormat()
  return (
    <>
      <Amount rupees={available} />
      {held + authorized > 0 && (
        <Text size="sm" c="dimmed">
          {t.held(format.amount(held + authorized))}
        </Text>
      )}
      {pending_approvals > 0 && (
        <Text size="sm" c="dimmed">
          {t.asked(format.amount(pending_approvals))}
        </Text>
      )}
    </>
  )
}

function Most({ of, isRead }: { readonly of: number | undefined; readonly isRead: boolean }) {
  if (!isRead) return <Waiting />
  return of === undefined ? '–' : <Amount rupees={of} />
}

/** What the agent did last. */
function LastLine({ line }: { readonly line: Transaction | null }) {
  const t = useTexts(agentsTexts)
  const { lines } = useTexts(agentTexts)
  const format = useFormat()
  if (line === null) return t.nothingYet
  return (
    <>
      {lines[line.type](line.counterparty_name ?? '')} · {format.amount(line.amount)}
      <Text size="sm" c="dimmed">
        <Moment at={line.created_at} />
      </Text>
    </>
  )
}

function Name({ agent: { agent_id, name, handle } }: { readonly agent: Agent }) {
  const isPlatform = useSession() === 'platform'
  return (
    <Stack gap={0} className={classes.who}>
      <Link to={isPlatform ? '/platform/agents/$agentId' : '/agents/$agentId'} params={{ agentId: agent_id }}>
        {name}
      </Link>
      <Text size="sm" c="dimmed">
        @{handle}
      </Text>
    </Stack>
  )
}

interface NoAgentsProps extends Pick<AgentsPageProps, 'create'> {
  readonly isFiltered: boolean
}

function NoAgents({ isFiltered, create }: NoAgentsProps) {
  const t = useTexts(agentsTexts)
  const isPlatform = useSession() === 'platform'
  if (isFiltered) return <NothingFound icon="agents">{t.emptyOther}</NothingFound>
  const toInbox = <NextStep to="/inbox">{t.toInbox}</NextStep>
  return isPlatform ? (
    <EmptyState icon="agents" title={t.emptyTitle} action={create}>
      {t.emptyPlatform}
    </EmptyState>
  ) : (
    <EmptyState icon="agents" title={t.emptyTitle} action={toInbox}>
      {t.empty}
    </EmptyState>
  )
}
