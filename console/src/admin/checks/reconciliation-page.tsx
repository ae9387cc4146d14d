import type { Difference } from '@batua/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { Filters, SelectFilter } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { AgentLink, Named } from '../links.tsx'
import { given } from '../search.ts'
import { adminTexts } from '../texts.ts'
import { CheckSections } from './check-sections.tsx'
import { sideText, sideTexts } from './side-texts.ts'
import { checksTexts } from './texts.ts'

const route = getRouteApi('/admin/checks/reconciliation')

/** The differences between the ledger and the gateway. */
export function ReconciliationPage() {
  const t = useTexts(checksTexts)
  const common = useTexts(adminTexts)
  const { kind, offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const differences = useRead('listDifferences', { ...given({ kind }), limit: 20, offset })
  const columns = useColumns()
  return (
    <>
      <PageTitle lead={t.differencesLead}>{t.sections.reconciliation}</PageTitle>
      <CheckSections />
      <Filters>
        <SelectFilter
          label={t.kind}
          all={common.all}
          value={kind}
          options={t.kinds}
          onChange={chosen => void navigate({ search: given({ kind: chosen }) })}
        />
      </Filters>
      <List
        query={differences}
        loading={t.differencesLoading}
        rows={({ differences: list }) => list}
        empty={
          kind === undefined ? (
            <EmptyState
              icon="check"
              title={t.differencesEmpty}
              action={<NextStep to="/admin/checks">{t.toChecks}</NextStep>}
            >
              {t.differencesEmptyHint}
            </EmptyState>
          ) : (
            <NothingFound icon="check">{t.noSuchDifferences}</NothingFound>
          )
        }
        onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
      >
        {list => (
          <DataTable
            label={t.sections.reconciliation}
            columns={columns}
            rows={list}
            rowKey={({ kind: what, subject }) => `${what} ${subject}`}
          />
        )}
      </List>
    </>
  )
}

function useColumns(): readonly Column<Difference>[] {
  const t = useTexts(checksTexts)
  const common = useTexts(adminTexts)
  const words = useTexts(sideTexts)
  const format = useFormat()
  const side = (text: string | null) => (text === null ? t.nothing : sideText(text, words, format))
  return [
    {
      id: 'kind',
      name: t.kind,
      cell: ({ kind, subject }) => <Named detail={subject}>{t.kinds[kind]}</Named>,
    },
    {
      id: 'agent',
      name: common.agent,
      cell: ({ agent_id }) => (agent_id === null ? '–' : <AgentLink id={agent_id} />),
    },
    { id: 'ours', name: t.ours, cell: ({ ours }) => side(ours) },
    { id: 'theirs', name: t.theirs, cell: ({ theirs }) => side(theirs) },
    { id: 'amount', name: t.amount, align: 'end', cell: ({ amount }) => <Amount rupees={amount} /> },
    { id: 'found', name: t.found, cell: ({ found_at }) => <Moment at={found_at} /> },
  ]
}
