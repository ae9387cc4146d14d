import type { PlatformTransaction } from '@batua/sdk'
import { Stack, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { agentTexts } from '../../agents/agent-texts.ts'
import { useRead } from '../../api/use-read.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { ListTools } from '../list-tools.tsx'
import { MoneyPages } from '../parts.tsx'
import { PaymentFilters } from './payment-filters.tsx'
import { paymentsTexts } from './texts.ts'

const route = getRouteApi('/platform/payments')

/** The statements of all agents in one list. */
export function PaymentsPage() {
  const t = useTexts(paymentsTexts)
  const { offset = 0, ...search } = route.useSearch()
  const { agent, type, status, reference, from, to } = search
  const navigate = route.useNavigate()
  const isFiltered = Object.values(search).some(value => value !== undefined)
  const filter = {
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(type === undefined ? {} : { type }),
    ...(status === undefined ? {} : { status }),
    ...(reference === undefined ? {} : { reference }),
    ...(from === undefined ? {} : { from_date: from }),
    ...(to === undefined ? {} : { to_date: to }),
  }
  const lines = useRead('listPlatformTransactions', { ...filter, limit: 20, offset })
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <MoneyPages />
      <PaymentFilters />
      <ListTools operation="listPlatformTransactions" filter={filter} search={search} />
      <List
        query={lines}
        loading={t.loading}
        rows={({ transactions }) => transactions}
        empty={
          isFiltered ? (
            <NothingFound icon="money">{t.emptyOther}</NothingFound>
          ) : (
            <EmptyState
              icon="money"
              title={t.emptyTitle}
              action={<NextStep to="/platform">{t.toStart}</NextStep>}
            >
              {t.empty}
            </EmptyState>
          )
        }
        onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
      >
        {transactions => <Lines lines={transactions} />}
      </List>
    </>
  )
}

function Lines({ lines }: { readonly lines: readonly PlatformTransaction[] }) {
  const t = useTexts(paymentsTexts)
  const format = useFormat()
  const columns: readonly Column<PlatformTransaction>[] = [
    { id: 'what', name: t.what, cell: line => <What line={line} /> },
    { id: 'status', name: t.type, cell: ({ type }) => t.types[type] },
    { id: 'state', name: useTexts(agentTexts).status, cell: ({ status }) => <Status is={status} /> },
    { id: 'at', name: t.at, cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      id: 'amount',
      name: t.amount,
      align: 'end',
      cell: ({ net_amount }) => <span className="figures">{format.amount(net_amount)}</span>,
    },
  ]
  return <DataTable label={t.title} columns={columns} rows={lines} rowKey={({ id }) => id} />
}

/** The agent and the other side. It leads to the payment or the escrow that the line belongs to. */
function What({ line }: { readonly line: PlatformTransaction }) {
  const { lines } = useTexts(agentTexts)
  const { agent_id, agent_name, type, counterparty_name, note, reference, payment_id, escrow_id } = line
  const text = lines[type](counterparty_name ?? '')
  const detail = note ?? reference
  return (
    <Stack gap={0}>
      {payment_id !== undefined ? (
        <Link to="/platform/payments/$paymentId" params={{ paymentId: payment_id }}>
          {text}
        </Link>
      ) : escrow_id !== undefined && type === 'pay_out' ? (
        <Link to="/platform/payments/escrows/$escrowId" params={{ escrowId: escrow_id }}>
          {text}
        </Link>
      ) : (
        <Text fw={600}>{text}</Text>
      )}
      <Text size="sm" c="dimmed">
        <Link to="/platform/agents/$agentId" params={{ agentId: agent_id }} search={{}}>
          {agent_name}
        </Link>
        {detail !== null && ` · ${detail}`}
      </Text>
    </Stack>
  )
}
