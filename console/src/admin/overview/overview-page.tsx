import type { Overview } from '@batua/sdk'
import { Stack, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { Charts } from './charts.tsx'
import classes from './overview.module.css'
import { overviewTexts } from './texts.ts'

const POLL_MS = 60_000

/** What the service holds and moves, and what needs attention. */
export function OverviewPage() {
  const t = useTexts(overviewTexts)
  const overview = useRead('getOverview', {})
  const activity = useRead('getActivity', {}, { everyMs: POLL_MS })
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <Stack gap="xl">
        <Loaded query={overview} loading={t.loading}>
          {found => (
            <div className={classes.cards}>
              <Attention overview={found} />
              <Money overview={found} />
              <Network overview={found} />
            </div>
          )}
        </Loaded>
        <section>
          <Title order={2} mb="sm">
            {t.activity}
          </Title>
          <Loaded query={activity} loading={t.activityLoading}>
            {found => <Charts activity={found} />}
          </Loaded>
        </section>
      </Stack>
    </>
  )
}

interface PartProps {
  readonly overview: Overview
}

interface TitledProps {
  readonly title: string
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}

function Titled({ title, facts }: TitledProps) {
  return (
    <Card label={title}>
      <Title order={2} mb="sm">
        {title}
      </Title>
      <Facts facts={facts} />
    </Card>
  )
}

function Attention({ overview }: PartProps) {
  const t = useTexts(overviewTexts)
  const { number } = useFormat()
  const { ledger, reconciliation, open_alerts, failed_deliveries, pending_approvals } = overview
  const balanced = ledger.balanced === null ? t.unchecked : ledger.balanced ? t.balanced : t.unbalanced
  return (
    <Titled
      title={t.attention}
      facts={[
        [
          t.alerts,
          <Link key="alerts" to="/admin/risk" search={{ status: 'open' }}>
            {number(open_alerts)}
          </Link>,
        ],
        [
          t.ledger,
          <Link key="ledger" to="/admin/checks">
            {balanced}
          </Link>,
        ],
        [
          t.differences,
          <Link key="differences" to="/admin/checks/reconciliation">
            {reconciliation.differences === null ? t.unchecked : number(reconciliation.differences)}
          </Link>,
        ],
        [
          t.deliveries,
          <Link key="deliveries" to="/admin/checks/deliveries">
            {number(failed_deliveries)}
          </Link>,
        ],
        [t.waiting, number(pending_approvals)],
      ]}
    />
  )
}

function Money({ overview }: PartProps) {
  const t = useTexts(overviewTexts)
  const { float, escrow_held, payouts_pending, negative_wallets, payments } = overview
  const { today, last_30_days: month } = payments
  const paid = ({ volume, count }: { readonly volume: number; readonly count: number }) => (
    <>
      <Amount rupees={volume} /> · {t.payments(count)}
    </>
  )
  return (
    <Titled
      title={t.money}
      facts={[
        [t.float, <Amount key="float" rupees={float} />],
        [t.escrow, <Amount key="escrow" rupees={escrow_held} />],
        [t.payouts, <Amount key="payouts" rupees={payouts_pending.amount} />],
        [
          t.owed,
          <Link key="owed" to="/admin/checks/wallets">
            <Amount rupees={negative_wallets.amount} />
          </Link>,
        ],
        [t.today, paid(today)],
        [t.feesToday, <Amount key="fees" rupees={today.fees} />],
        [t.month, paid(month)],
        [t.feesMonth, <Amount key="fees-month" rupees={month.fees} />],
      ]}
    />
  )
}

function Network({ overview: { platforms, owners, agents } }: PartProps) {
  const t = useTexts(overviewTexts)
  const { number } = useFormat()
  return (
    <Titled
      title={t.network}
      facts={[
        [t.platforms, number(platforms)],
        [
          t.owners,
          <Link key="owners" to="/admin/owners">
            {number(owners)}
          </Link>,
        ],
        [
          t.agents,
          <Link key="agents" to="/admin/agents">
            {number(agents.total)}
          </Link>,
        ],
        [t.stopped, number(agents.paused + agents.quarantined + agents.frozen)],
      ]}
    />
  )
}
