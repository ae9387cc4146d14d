import type { NegativeWallet } from '@batua/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep } from '../../components/empty-state.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useTexts } from '../../language/language.tsx'
import { AgentLink, OwnerLink } from '../links.tsx'
import { adminTexts } from '../texts.ts'
import { CheckSections } from './check-sections.tsx'
import { checksTexts } from './texts.ts'

const route = getRouteApi('/admin/checks/wallets')

/** The wallets that a chargeback took below zero. */
export function WalletsPage() {
  const t = useTexts(checksTexts)
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const wallets = useRead('listNegativeWallets', { limit: 20, offset })
  const columns = useColumns()
  return (
    <>
      <PageTitle lead={t.walletsLead}>{t.sections.wallets}</PageTitle>
      <CheckSections />
      <List
        query={wallets}
        loading={t.walletsLoading}
        rows={({ wallets: list }) => list}
        empty={
          <EmptyState
            icon="money"
            title={t.walletsEmpty}
            action={<NextStep to="/admin">{t.toOverview}</NextStep>}
          />
        }
        onOffset={next => void navigate({ search: { offset: next } })}
      >
        {list => (
          <DataTable
            label={t.sections.wallets}
            columns={columns}
            rows={list}
            rowKey={({ agent_id }) => agent_id}
          />
        )}
      </List>
    </>
  )
}

function useColumns(): readonly Column<NegativeWallet>[] {
  const t = useTexts(checksTexts)
  const common = useTexts(adminTexts)
  return [
    {
      id: 'agent',
      name: common.agent,
      cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} />,
    },
    { id: 'owner', name: common.owner, cell: ({ owner_id }) => <OwnerLink id={owner_id} /> },
    {
      id: 'balance',
      name: common.balance,
      align: 'end',
      cell: ({ balance }) => <Amount rupees={balance} />,
    },
    { id: 'reversed', name: t.reversed, cell: ({ reversed_at }) => <Moment at={reversed_at} /> },
  ]
}
