import type { SettlementSkip } from '@batua/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { Filters, SelectFilter } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { AgentLink, Back, OwnerLink } from '../links.tsx'
import { given } from '../search.ts'
import { adminTexts } from '../texts.ts'
import { checksTexts } from './texts.ts'

const route = getRouteApi('/admin/checks/settlements/$day')

/** The wallets that one day's settlement skipped. */
export function SettlementPage() {
  const t = useTexts(checksTexts)
  const common = useTexts(adminTexts)
  const format = useFormat()
  const { day } = route.useParams()
  const { reason, offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const skips = useRead('listSettlementSkips', { day, ...given({ reason }), limit: 20, offset })
  const isDate = !Number.isNaN(Date.parse(day))
  const columns = useColumns()
  return (
    <>
      <Back to="/admin/checks/settlements">{t.backToRuns}</Back>
      <PageTitle lead={t.settlementLead}>{t.settlementTitle(isDate ? format.date(day) : day)}</PageTitle>
      <Filters>
        <SelectFilter
          label={t.reason}
          all={common.all}
          value={reason}
          options={t.reasons}
          onChange={chosen => void navigate({ search: given({ reason: chosen }) })}
        />
      </Filters>
      <List
        query={skips}
        loading={t.skipsLoading}
        rows={({ skipped }) => skipped}
        empty={
          reason === undefined ? (
            <EmptyState
              icon="check"
              title={t.skipsEmpty}
              action={<NextStep to="/admin/checks/settlements">{t.backToRuns}</NextStep>}
            />
          ) : (
            <NothingFound icon="check">{t.noSuchSkips}</NothingFound>
          )
        }
        onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
      >
        {list => (
          <DataTable label={t.skipped} columns={columns} rows={list} rowKey={({ agent_id }) => agent_id} />
        )}
      </List>
    </>
  )
}

function useColumns(): readonly Column<SettlementSkip>[] {
  const t = useTexts(checksTexts)
  const common = useTexts(adminTexts)
  return [
    {
      id: 'agent',
      name: common.agent,
      cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} />,
    },
    { id: 'owner', name: common.owner, cell: ({ owner_id }) => <OwnerLink id={owner_id} /> },
    { id: 'reason', name: t.reason, cell: ({ reason }) => t.reasons[reason] },
    {
      id: 'balance',
      name: common.balance,
      align: 'end',
      cell: ({ balance }) => <Amount rupees={balance} />,
    },
  ]
}
