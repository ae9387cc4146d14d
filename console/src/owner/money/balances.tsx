import type { AgentBalance } from '@batua/sdk'
import { Group, Stack, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import agentClasses from '../../agents/agent.module.css'
import { Fund } from '../../agents/money/fund.tsx'
import { Withdraw } from '../../agents/money/money.tsx'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Pages } from '../../components/pages.tsx'
import { Status } from '../../components/status.tsx'
import { useTexts } from '../../language/language.tsx'
import { moneyTexts } from './texts.ts'

const route = getRouteApi('/owner/money')

/** All wallets with their sum, each to be filled or emptied. */
export function Balances() {
  const t = useTexts(moneyTexts)
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const balances = useRead('listBalances', { limit: 20, offset })
  const toInbox = <NextStep to="/inbox">{t.toInbox}</NextStep>
  return (
    <Loaded query={balances} loading={t.loading}>
      {({ balances: list, total, pagination }) =>
        pagination.total === 0 ? (
          <EmptyState icon="money" title={t.noAgents} action={toInbox}>
            {t.noAgentsHint}
          </EmptyState>
        ) : (
          <Stack>
            <Card label={t.total}>
              <Text c="dimmed">{t.total}</Text>
              <span className={agentClasses.balance}>
                <Amount rupees={total.available} />
              </span>
              <Text size="sm" c="dimmed">
                {t.funded}: <Amount rupees={total.total_funded} /> · {t.spent}:{' '}
                <Amount rupees={total.total_spent} />
              </Text>
            </Card>
            <Card flush>
              <Wallets wallets={list} />
            </Card>
            <Pages pagination={pagination} onOffset={next => void navigate({ search: { offset: next } })} />
          </Stack>
        )
      }
    </Loaded>
  )
}

function Wallets({ wallets }: { readonly wallets: readonly AgentBalance[] }) {
  const t = useTexts(moneyTexts)
  const columns: readonly Column<AgentBalance>[] = [
    { id: 'agent', name: t.agent, cell: wallet => <Name wallet={wallet} /> },
    { id: 'status', name: t.status, cell: ({ status }) => <Status is={status} /> },
    { id: 'balance', name: t.balance, align: 'end', cell: ({ available }) => <Amount rupees={available} /> },
    { id: 'act', name: t.act, align: 'end', cell: wallet => <Acts wallet={wallet} /> },
  ]
  return <DataTable label={t.balances} columns={columns} rows={wallets} rowKey={({ agent_id }) => agent_id} />
}

function Name({ wallet: { agent_id, agent_name, handle } }: { readonly wallet: AgentBalance }) {
  return (
    <Stack gap={0}>
      <Link to="/agents/$agentId" params={{ agentId: agent_id }} search={{ section: 'statement' }}>
        {agent_name}
      </Link>
      <Text size="sm" c="dimmed">
        @{handle}
      </Text>
    </Stack>
  )
}

function Acts({
  wallet: { agent_id, agent_name: name, status, available },
}: {
  readonly wallet: AgentBalance
}) {
  return (
    <Group gap="xs" justify="flex-end">
      <Fund isListed agent={{ agent_id, name, status }} />
      <Withdraw isListed agent={{ agent_id, name }} available={available} />
    </Group>
  )
}
