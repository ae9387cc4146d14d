import type { Escrow } from '@batua/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Pages } from '../../components/pages.tsx'
import { Status } from '../../components/status.tsx'
import { useTexts } from '../../language/language.tsx'
import { ListTools } from '../list-tools.tsx'
import { AgentFilter, Filters, MoneyPages, SelectFilter } from '../parts.tsx'
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
      <Loaded query={escrows} loading={t.loading}>
        {({ escrows: list, pagination }) =>
          list.length === 0 ? (
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
          ) : (
            <>
              <Card flush>
                <Escrows escrows={list} />
              </Card>
              <Pages
                pagination={pagination}
                onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
              />
            </>
          )
        }
      </Loaded>
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
