import type { RiskAlertDetails } from '@batua/sdk'
import { Stack, Text, Title } from '@mantine/core'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Facts } from '../../components/facts.tsx'
import { Moment } from '../../components/moment.tsx'
import { Status } from '../../components/status.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { AgentLink, OwnerLink } from '../links.tsx'
import { adminTexts } from '../texts.ts'
import { PaymentGraph } from './payment-graph.tsx'
import classes from './risk.module.css'
import { riskTexts } from './texts.ts'

type Payment = RiskAlertDetails['payments'][number]
type EvidenceAgent = RiskAlertDetails['agents'][number]

interface AlertProps {
  readonly alert: RiskAlertDetails
}

/** What a rule observed: payments as a drawing and as a list, agents, figures and thresholds. */
export function Evidence({ alert }: AlertProps) {
  const t = useTexts(riskTexts)
  const { evidence, payments, agents } = alert
  return (
    <section>
      <Title order={2} mb="sm">
        {t.evidence}
      </Title>
      <Stack gap="xl">
        {payments.length === 0 ? (
          <Text c="dimmed">{t.noPayments}</Text>
        ) : (
          <>
            <Card label={t.payments}>
              <PaymentGraph payments={payments} agents={agents} />
            </Card>
            <Payments alert={alert} />
          </>
        )}
        {agents.length > 0 && <Agents agents={agents} />}
        <div className={classes.columns}>
          <Figures title={t.found} figures={evidence.figures} alert={alert} />
          <Figures title={t.thresholds} figures={evidence.thresholds} />
        </div>
      </Stack>
    </section>
  )
}

function Payments({ alert: { payments, agents } }: AlertProps) {
  const t = useTexts(riskTexts)
  const names = new Map(agents.map(({ agent_id, name }) => [agent_id, name]))
  const side = (id: string | null) => (id === null ? t.outside : <AgentLink id={id} name={names.get(id)} />)
  const columns: readonly Column<Payment>[] = [
    {
      id: 'amount',
      name: t.amount,
      cell: ({ amount }) => (
        <strong>
          <Amount rupees={amount} />
        </strong>
      ),
    },
    { id: 'payer', name: t.payer, cell: ({ from_agent_id }) => side(from_agent_id) },
    { id: 'payee', name: t.payee, cell: ({ to_agent_id }) => side(to_agent_id) },
    { id: 'at', name: t.at, cell: ({ created_at }) => <Moment at={created_at} /> },
  ]
  return (
    <div>
      <Title order={3} mb="sm">
        {t.examples(payments.length)}
      </Title>
      <Card flush>
        <DataTable
          label={t.payments}
          columns={columns}
          rows={payments}
          rowKey={({ payment_id }) => payment_id}
        />
      </Card>
    </div>
  )
}

function Agents({ agents }: { readonly agents: readonly EvidenceAgent[] }) {
  const t = useTexts(riskTexts)
  const common = useTexts(adminTexts)
  const numbers = new Map(agents.map(({ agent_id }, index) => [agent_id, index + 1]))
  const columns: readonly Column<EvidenceAgent>[] = [
    {
      id: 'agent',
      name: common.agent,
      cell: ({ agent_id, name, handle }) => (
        <AgentLink id={agent_id} name={`${numbers.get(agent_id)}. ${name}`} detail={`@${handle}`} />
      ),
    },
    { id: 'owner', name: common.owner, cell: ({ owner_id }) => <OwnerLink id={owner_id} /> },
    { id: 'status', name: common.state, cell: ({ status }) => <Status is={status} /> },
  ]
  return (
    <div>
      <Title order={3} mb="sm">
        {t.agents}
      </Title>
      <Card flush>
        <DataTable label={t.agents} columns={columns} rows={agents} rowKey={({ agent_id }) => agent_id} />
      </Card>
    </div>
  )
}

/** Figures in INR; all others are numbers. */
const AMOUNTS: ReadonlySet<string> = new Set([
  'first_amount',
  'least_amount',
  'last_amount',
  'min_amount',
  'threshold',
  'total',
])

interface FiguresProps extends Partial<AlertProps> {
  readonly title: string
  readonly figures: Readonly<Record<string, number>>
}

function Figures({ title, figures, alert }: FiguresProps) {
  const t = useTexts(riskTexts)
  const format = useFormat()
  const names: Readonly<Record<string, string>> = t.figures
  const written = (name: string, value: number) =>
    AMOUNTS.has(name) ? format.amount(value) : format.number(value)
  return (
    <div>
      <Title order={3} mb="sm">
        {title}
      </Title>
      <Card label={title}>
        <Facts
          facts={[
            ...Object.entries(figures).map(
              ([name, value]) => [names[name] ?? name, written(name, value)] as const,
            ),
            [t.period, alert === undefined ? null : <Period key="period" alert={alert} />],
          ]}
        />
      </Card>
    </div>
  )
}

function Period({ alert: { evidence } }: AlertProps) {
  return (
    <>
      <Moment at={evidence.from} /> – <Moment at={evidence.to} />
    </>
  )
}
