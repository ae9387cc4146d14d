import { Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { allowanceTexts } from '../agents/limits/allowance-texts.ts'
import { AllowanceList } from '../agents/limits/allowances.tsx'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { EmptyState, NextStep } from '../components/empty-state.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Pages } from '../components/pages.tsx'
import { SectionTitle } from '../components/section-title.tsx'
import { useTexts } from '../language/language.tsx'

const route = getRouteApi('/owner/safety')

/** Whom the owner's agents may pay without asking, each to be ended. */
export function AllowancesSection() {
  const t = useTexts(allowanceTexts)
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const allowances = useRead('listAllowances', { limit: 20, offset })
  const toAgents = <NextStep to="/agents">{t.toAgents}</NextStep>
  return (
    <Stack>
      <SectionTitle hint={t.hintAll}>{t.titleAll}</SectionTitle>
      <Loaded query={allowances} loading={t.loading}>
        {({ allowances: list, pagination }) => (
          <>
            <Card>
              {list.length === 0 ? (
                <EmptyState icon="agents" title={t.noneAtAll} action={toAgents}>
                  {t.noneAtAllHint}
                </EmptyState>
              ) : (
                <AllowanceList allowances={list} withAgent />
              )}
            </Card>
            <Pages
              pagination={pagination}
              onOffset={next =>
                void navigate({ search: search => ({ ...search, offset: next }), resetScroll: false })
              }
            />
          </>
        )}
      </Loaded>
    </Stack>
  )
}
