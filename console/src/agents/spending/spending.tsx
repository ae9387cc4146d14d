import type { Spending as Spent } from '@batua/sdk'
import { Stack, Text } from '@mantine/core'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { Choice } from '../../components/choice.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Loading } from '../../components/loading.tsx'
import { SectionTitle } from '../../components/section-title.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import type { SectionProps } from '../agent-sections.tsx'
import classes from './spending.module.css'
import { spendingTexts } from './texts.ts'

/** Recharts is as large as everything else, so only this section loads it. */
const Chart = lazyRouteComponent(() => import('./spending-chart.tsx'), 'SpendingChart')

const PERIODS = ['7', '30', '90'] as const

/** What an agent spent on each day, by payee: a chart, and the same as tables. */
export function Spending({ agent: { agent_id }, search: { days = 30 }, onSearch }: SectionProps) {
  const t = useTexts(spendingTexts)
  const spending = useRead('getSpending', { agent_id, days })
  const period = PERIODS.find(each => Number(each) === days) ?? '30'
  const toStatement = (
    <NextStep to="." search={{ section: 'statement' }}>
      {t.toStatement}
    </NextStep>
  )
  return (
    <Stack gap="sm">
      <SectionTitle hint={t.hint}>{t.title}</SectionTitle>
      <Choice
        label={t.period}
        value={period}
        options={t.days}
        onChange={chosen => onSearch({ days: chosen === '7' ? 7 : chosen === '90' ? 90 : 30 })}
      />
      <Loaded query={spending} loading={t.loading}>
        {spent =>
          spent.payments === 0 ? (
            <EmptyState icon="money" title={t.none} action={toStatement}>
              {t.noneHint}
            </EmptyState>
          ) : (
            <Shown spent={spent} />
          )
        }
      </Loaded>
    </Stack>
  )
}

function Shown({ spent }: { readonly spent: Spent }) {
  const t = useTexts(spendingTexts)
  const format = useFormat()
  return (
    <>
      <Card>
        <Stack gap="sm">
          <Text fw={600}>{t.total(format.amount(spent.total), spent.payments)}</Text>
          <Suspense fallback={<Loading>{t.loadingChart}</Loading>}>
            <div role="img" aria-label={t.chart(format.amount(spent.total), spent.days.length)}>
              <Chart spent={spent} />
            </div>
          </Suspense>
        </Stack>
      </Card>
      <ByPayee spent={spent} />
      <details>
        <summary>{t.table}</summary>
        <ByDay spent={spent} />
      </details>
    </>
  )
}

interface Row {
  readonly key: string
  readonly name: string
  readonly amount: number
  readonly payments: number
}

/** Also the key of the chart: the colour of each payee. */
function ByPayee({ spent: { payees, others } }: { readonly spent: Spent }) {
  const t = useTexts(spendingTexts)
  const format = useFormat()
  const rows: Row[] = payees.map(({ agent_id, agent_name, ...sums }) => ({
    key: agent_id,
    name: agent_name,
    ...sums,
  }))
  if (others.payments > 0) rows.push({ key: 'others', name: t.others, ...others })
  const columns: readonly Column<Row>[] = [
    {
      id: 'payee',
      name: t.payee,
      cell: row => (
        <span className={classes.named}>
          <span
            className={classes.colour}
            data-colour={row.key === 'others' ? 'others' : rows.indexOf(row)}
          />
          {row.name}
        </span>
      ),
    },
    { id: 'payments', name: t.payments, align: 'end', cell: ({ payments }) => format.number(payments) },
    { id: 'amount', name: t.sum, align: 'end', cell: ({ amount }) => <Amount rupees={amount} /> },
  ]
  return (
    <Card flush>
      <DataTable label={t.byPayee} columns={columns} rows={rows} rowKey={({ key }) => key} />
    </Card>
  )
}

type Day = Spent['days'][number]

function ByDay({ spent: { days, payees, others } }: { readonly spent: Spent }) {
  const t = useTexts(spendingTexts)
  const format = useFormat()
  const columns: readonly Column<Day>[] = [
    { id: 'day', name: t.day, cell: ({ date }) => <span className="figures">{format.date(date)}</span> },
    ...payees.map(
      ({ agent_id, agent_name }, index): Column<Day> => ({
        id: agent_id,
        name: agent_name,
        align: 'end',
        cell: day => <Amount rupees={day.payees[index] ?? 0} />,
      }),
    ),
    ...(others.payments === 0
      ? []
      : [
          {
            id: 'others',
            name: t.others,
            align: 'end',
            cell: (day: Day) => <Amount rupees={day.others} />,
          } as const,
        ]),
    { id: 'sum', name: t.sum, align: 'end', cell: ({ total }) => <Amount rupees={total} /> },
  ]
  return (
    <div className={classes.days}>
      <Card flush>
        <DataTable
          label={t.byDay}
          columns={columns}
          rows={days.filter(({ total }) => total > 0).toReversed()}
          rowKey={({ date }) => date}
        />
      </Card>
    </div>
  )
}
