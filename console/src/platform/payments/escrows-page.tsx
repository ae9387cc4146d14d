import type { Escrow } from '@batua/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { Filters, SelectFilter } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { useTexts } from '../../language/language.tsx'
import { ListTools } from '../list-tools.tsx'
import { AgentFilter, MoneyPages } from '../parts.tsx'
import { platformTexts } from '../texts.ts'
import { escrowsTexts } from './escrow-texts.ts'

const route = getRouteApi('/platform/payments/escrows')
const STATUSES = ['held', 'released', 'refunded'] as const

/** The escrows of the platform's money. */
export function EscrowsPage() {
  const t = useTexts(escrowsTexts)
  const { status: statusName } = useTexts(platformTexts)
  const { status, agent, offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = {
    ...(status === undefined ? {} : { status }),
    ...(agent === undefined ? {} : { agent_id: agent }),
  }
  const escrows = useRead('listEscrows', { ...filter, limit: 20, offset })
  const isFiltered = status !== undefined || agent !== undefined
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <MoneyPages />
      <Filters>
        <SelectFilter
          label={statusName}
          all={t.all}
          value={status}
          options={STATUSES.map(each => [each, t[each]])}
          onChange={chosen => void navigate({ search: { agent, status: chosen } })}
        />
        <AgentFilter
          value={agent}
          onChange={chosen => void navigate({ search: { status, agent: chosen } })}
        />
      </Filters>
      <ListTools operation="listEscrows" filter={filter} search={{ status, agent }} />
      <List
        query={escrows}
        loading={t.loading}
        rows={({ escrows: list }) => list}
        empty={
          isFiltered ? (
            <NothingFound icon="safety">{t.emptyOther}</NothingFound>
          ) : (
            <EmptyState
              icon="safety"
              title={t.emptyTitle}
              action={<NextStep to="/platform/agents">{t.toAgents}</NextStep>}
            >
              {t.empty}
            </EmptyState>
          )
        }
        onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
      >
        {list => <Escrows escrows={list} />}
      </List>
    </>
  )
}

function Escrows({ escrows }: { readonly escrows: readonly Escrow[] }) {
  const t = useTexts(escrowsTexts)
  const { status: statusName } = useTexts(platformTexts)
  const columns: readonly Column<Escrow>[] = [
    {
      id: 'escrow',
      name: t.escrow,
      cell: ({ escrow_id, reference }) => (
        <Link to="/platform/payments/escrows/$escrowId" params={{ escrowId: escrow_id }}>
          {reference ?? escrow_id}
        </Link>
      ),
    },
    { id: 'status', name: statusName, cell: ({ status }) => <Status is={status} /> },
    { id: 'at', name: t.at, cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      id: 'ends',
      name: t.ends,
      cell: ({ expires_at }) => (expires_at === null ? t.never : <Moment at={expires_at} />),
    },
    { id: 'amount', name: t.amount, align: 'end', cell: ({ amount }) => <Amount rupees={amount} /> },
  ]
  return <DataTable label={t.title} columns={columns} rows={escrows} rowKey={({ escrow_id }) => escrow_id} />
}
