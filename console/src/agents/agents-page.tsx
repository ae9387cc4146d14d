import type { Agent } from '@batua/sdk'
import { Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useSession } from '../api/api.tsx'
import { useRead } from '../api/use-read.ts'
import { Amount } from '../components/amount.tsx'
import { Card } from '../components/card.tsx'
import { Choice } from '../components/choice.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { Loaded } from '../components/loaded.tsx'
import { PageTitle } from '../components/page-title.tsx'
import { Pages } from '../components/pages.tsx'
import { Status } from '../components/status.tsx'
import { Waiting } from '../components/waiting.tsx'
import { useTexts } from '../language/language.tsx'
import { DownloadStatement } from './download-statement.tsx'
import { LISTED, OwnersExposure } from './exposure.tsx'
import { exposureTexts } from './exposure-texts.ts'
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
}

/** The agents of an owner or a platform with their money and state, each to be stopped at once. */
export function AgentsPage({ search: { status, offset = 0 }, onSearch }: AgentsPageProps) {
  const t = useTexts(agentsTexts)
  const session = useSession()
  const isPlatform = session === 'platform'
  const agents = useRead('listAgents', { ...(status === undefined ? {} : { status }), limit: 20, offset })
  return (
    <>
      <PageTitle lead={t.lead} actions={session === 'owner' && <DownloadStatement agentId={null} />}>
        {t.title}
      </PageTitle>
      <Choice
        label={t.filter}
        value={status ?? 'all'}
        options={{ all: t.all, active: t.active, paused: t.paused, deactivated: t.deactivated }}
        onChange={chosen => onSearch(chosen === 'all' ? {} : { status: chosen })}
      />
      <Loaded query={agents} loading={t.loading}>
        {list =>
          list.agents.length === 0 ? (
            <NoAgents isFiltered={status !== undefined} />
          ) : (
            <>
              <Card flush>
                <Agents agents={list.agents} offset={offset} />
              </Card>
              <Pages pagination={list.pagination} onOffset={next => onSearch({ status, offset: next })} />
              {!isPlatform && (
                <Stack mt="md">
                  <OwnersExposure />
                </Stack>
              )}
            </>
          )
        }
      </Loaded>
    </>
  )
}

function Agents({ agents, offset }: { readonly agents: readonly Agent[]; readonly offset: number }) {
  const t = useTexts(agentsTexts)
  const money = useMoneyColumns(offset)
  const columns: readonly Column<Agent>[] = [
    { id: 'agent', name: t.agent, cell: agent => <Name agent={agent} /> },
    { id: 'status', name: t.status, cell: ({ status }) => <Status is={status} /> },
    ...money,
    { id: 'act', name: t.act, align: 'end', cell: agent => <PauseOrResume agent={agent} /> },
  ]
  return <DataTable label={t.title} columns={columns} rows={agents} rowKey={({ agent_id }) => agent_id} />
}

/** An owner's money, read in two requests for all rows. Agents that they do not list have a dash. */
function useMoneyColumns(offset: number): readonly Column<Agent>[] {
  const t = useTexts(agentsTexts)
  const { mostInDay } = useTexts(exposureTexts)
  const isOwner = useSession() === 'owner'
  const listed = offset < LISTED.limit ? LISTED : { ...LISTED, offset: offset - (offset % LISTED.limit) }
  const balances = useRead('listBalances', listed, { enabled: isOwner })
  const exposure = useRead('listExposure', listed, { enabled: isOwner })
  const balanceOf = new Map(balances.data?.balances.map(each => [each.agent_id, each.available]))
  const mostOf = new Map(exposure.data?.agents.map(each => [each.agent_id, each.day.amount]))
  if (!isOwner) return []
  return [
    {
      ...{ id: 'balance', name: t.balance, align: 'end' },
      cell: ({ agent_id }) => <Money of={balanceOf.get(agent_id)} isRead={balances.data !== undefined} />,
    },
    {
      ...{ id: 'most', name: mostInDay, align: 'end' },
      cell: ({ agent_id }) => <Money of={mostOf.get(agent_id)} isRead={exposure.data !== undefined} />,
    },
  ]
}

function Money({ of, isRead }: { readonly of: number | undefined; readonly isRead: boolean }) {
  if (!isRead) return <Waiting />
  return of === undefined ? '–' : <Amount rupees={of} />
}

function Name({ agent: { agent_id, name, handle } }: { readonly agent: Agent }) {
  const isPlatform = useSession() === 'platform'
  return (
    <Stack gap={0}>
      <Link to={isPlatform ? '/platform/agents/$agentId' : '/agents/$agentId'} params={{ agentId: agent_id }}>
        {name}
      </Link>
      <Text size="sm" c="dimmed">
        @{handle}
      </Text>
    </Stack>
  )
}

function NoAgents({ isFiltered }: { readonly isFiltered: boolean }) {
  const t = useTexts(agentsTexts)
  const session = useSession()
  if (isFiltered) return <EmptyState icon="agents" title={t.emptyOther} />
  return (
    <EmptyState icon="agents" title={t.emptyTitle}>
      {session === 'platform' ? t.emptyPlatform : t.empty}
    </EmptyState>
  )
}
