import { Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Lines } from '../../agents/money/statement.tsx'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { Notice } from '../../components/notice.tsx'
import { Pages } from '../../components/pages.tsx'
import { useTexts } from '../../language/language.tsx'
import { type Filter, Filters } from './filters.tsx'
import { moneyTexts } from './texts.ts'

const route = getRouteApi('/owner/money')

/** Everything that moved in the wallets of all agents, newest first. */
export function Transactions() {
  const t = useTexts(moneyTexts)
  const { agent, type, from, to, search, offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const filter: Filter = { agent, type, from, to, search }
  const show = (shown: Filter & { readonly offset?: number }) =>
    void navigate({ search: { section: 'transactions', ...shown } })
  const lines = useRead('listOwnerTransactions', {
    ...(agent !== undefined && { agent_id: agent }),
    ...(type !== undefined && { type }),
    ...(from !== undefined && { from_date: from }),
    ...(to !== undefined && { to_date: to }),
    ...(search !== undefined && { search }),
    limit: 20,
    offset,
  })
  const isFiltered = Object.values(filter).some(value => value !== undefined)
  return (
    <Stack>
      <Filters key={search} filter={filter} onFilter={show} />
      <Loaded query={lines} loading={t.loadingLines}>
        {({ transactions, pagination, searched_from }) => (
          <>
            {searched_from !== undefined && (
              <Notice kind="warn">
                <Text>
                  {t.searchedFrom} <Moment at={searched_from} />. {t.searchedHint}
                </Text>
              </Notice>
            )}
            {transactions.length === 0 ? (
              isFiltered ? (
                <NothingFound icon="money" section="transactions">
                  {t.noneSuch}
                </NothingFound>
              ) : (
                <EmptyState
                  icon="money"
                  title={t.none}
                  action={<NextStep to="/money">{t.toBalances}</NextStep>}
                >
                  {t.noneHint}
                </EmptyState>
              )
            ) : (
              <Card flush>
                <Lines lines={transactions} withAgent />
              </Card>
            )}
            <Pages pagination={pagination} onOffset={next => show({ ...filter, offset: next })} />
          </>
        )}
      </Loaded>
    </Stack>
  )
}
