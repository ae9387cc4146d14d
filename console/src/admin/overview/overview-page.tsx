import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { adminTexts } from '../texts.ts'

/** What the service holds and moves. */
export function OverviewPage() {
  const t = useTexts(adminTexts)
  const { number } = useFormat()
  const overview = useRead('getOverview', {})
  return (
    <>
      <PageTitle lead={t.overviewLead}>{t.overview}</PageTitle>
      <Loaded query={overview} loading={t.loading}>
        {found => (
          <Card label={t.overview}>
            <Facts
              facts={[
                [t.float, <Amount key="float" rupees={found.float} />],
                [t.escrow, <Amount key="escrow" rupees={found.escrow_held} />],
                [t.today, <Amount key="today" rupees={found.payments.today.volume} />],
                [t.month, <Amount key="month" rupees={found.payments.last_30_days.volume} />],
                [t.platforms, number(found.platforms)],
                [t.owners, number(found.owners)],
                [t.agents, number(found.agents.total)],
                [t.waiting, number(found.pending_approvals)],
                [t.alerts, number(found.open_alerts)],
                [t.deliveries, number(found.failed_deliveries)],
                [t.ledger, found.ledger.balanced ? t.balanced : t.unbalanced],
              ]}
            />
          </Card>
        )}
      </Loaded>
    </>
  )
}
