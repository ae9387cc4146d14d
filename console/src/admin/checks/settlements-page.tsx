import type { SettlementRun } from '@batua/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep } from '../../components/empty-state.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { Named } from '../links.tsx'
import { SKIP_REASONS } from '../search.ts'
import { adminTexts } from '../texts.ts'
import { CheckSections } from './check-sections.tsx'
import { checksTexts } from './texts.ts'

const route = getRouteApi('/admin/checks/settlements')

/** The settlement of each business day. */
export function SettlementsPage() {
  const t = useTexts(checksTexts)
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const runs = useRead('listSettlements', { limit: 20, offset })
  const columns = useColumns()
  return (
    <>
      <PageTitle lead={t.settlementsLead}>{t.sections.settlements}</PageTitle>
      <CheckSections />
      <List
        query={runs}
        loading={t.settlementsLoading}
        rows={({ settlements }) => settlements}
        empty={
          <EmptyState
            icon="money"
            title={t.settlementsEmpty}
            action={<NextStep to="/admin">{t.toOverview}</NextStep>}
          >
            {t.settlementsEmptyHint}
          </EmptyState>
        }
        onOffset={next => void navigate({ search: { offset: next } })}
      >
        {list => (
          <DataTable label={t.sections.settlements} columns={columns} rows={list} rowKey={({ day }) => day} />
        )}
      </List>
    </>
  )
}

function useColumns(): readonly Column<SettlementRun>[] {
  const t = useTexts(checksTexts)
  const common = useTexts(adminTexts)
  const { date } = useFormat()
  return [
    {
      id: 'day',
      name: t.day,
      cell: ({ day }) => (
        <Named>
          <Link to="/admin/checks/settlements/$day" params={{ day }}>
            {date(day)}
          </Link>
        </Named>
      ),
    },
    { id: 'status', name: common.state, cell: ({ status }) => <Status is={status} /> },
    {
      id: 'paid',
      name: t.paid,
      cell: ({ paid_count, paid_amount }) => (
        <Named detail={t.wallets(paid_count)}>
          <Amount rupees={paid_amount} />
        </Named>
      ),
    },
    { id: 'skipped', name: t.skipped, cell: ({ skipped }) => <Skipped skipped={skipped} /> },
    { id: 'started', name: t.started, cell: ({ started_at }) => <Moment at={started_at} /> },
    {
      id: 'finished',
      name: t.finished,
      cell: ({ finished_at }) => (finished_at === null ? '–' : <Moment at={finished_at} />),
    },
  ]
}

/** How many wallets were skipped, and why. */
function Skipped({ skipped }: Pick<SettlementRun, 'skipped'>) {
  const t = useTexts(checksTexts)
  const found = SKIP_REASONS.filter(reason => skipped[reason] > 0)
  const total = found.reduce((sum, reason) => sum + skipped[reason], 0)
  if (total === 0) return t.none
  return (
    <Named detail={found.map(reason => `${t.reasons[reason]}: ${skipped[reason]}`).join(', ')}>
      {t.wallets(total)}
    </Named>
  )
}
