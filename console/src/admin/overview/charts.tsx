import type { Activity } from '@batua/sdk'
import { Amount } from '../../components/amount.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { ChartFigure } from './chart-figure.tsx'
import classes from './overview.module.css'
import { overviewTexts } from './texts.ts'

type Day = Activity['days'][number]
type Hour = Activity['hours'][number]
type Refusal = Hour['refused'][number]

interface ChartsProps {
  readonly activity: Activity
}

/** Payments and fees by day, refusals by reason, and durations by hour; each also as a table. */
export function Charts({ activity: { days, hours } }: ChartsProps) {
  return (
    <div className={classes.charts}>
      <Sums days={days} of="volume" />
      <Sums days={days} of="fees" />
      <Refusals hours={hours} />
      <Durations hours={hours} />
    </div>
  )
}

function Sums({ days, of }: { readonly days: readonly Day[]; readonly of: 'volume' | 'fees' }) {
  const t = useTexts(overviewTexts)
  const format = useFormat()
  const hasPayments = days.some(({ count }) => count > 0)
  return (
    <ChartFigure
      title={t[of]}
      empty={hasPayments ? null : t.noPayments}
      table={
        <DataTable
          label={t[of]}
          columns={[
            { id: 'day', name: t.day, cell: ({ day }) => format.date(day) },
            { id: 'count', name: t.count, align: 'end', cell: ({ count }) => format.number(count) },
            { id: of, name: t[of], align: 'end', cell: day => <Amount rupees={day[of]} /> },
          ]}
          rows={days.toReversed()}
          rowKey={({ day }) => day}
        />
      }
      drawn={{ kind: 'sums', days, of }}
    />
  )
}

function Refusals({ hours }: { readonly hours: readonly Hour[] }) {
  const t = useTexts(overviewTexts)
  const format = useFormat()
  const refusals = sumOf(hours).map(refusal => ({ ...refusal, name: t.reasons[refusal.code] }))
  return (
    <ChartFigure
      title={t.refusals}
      empty={refusals.length === 0 ? t.noRefusals : null}
      table={
        <DataTable
          label={t.refusals}
          columns={[
            { id: 'reason', name: t.reason, cell: ({ name }) => name },
            { id: 'times', name: t.times, align: 'end', cell: ({ count }) => format.number(count) },
          ]}
          rows={refusals}
          rowKey={({ code }) => code}
        />
      }
      drawn={{ kind: 'refusals', refusals }}
    />
  )
}

/** The refusals of all hours by reason, the most frequent first. */
function sumOf(hours: readonly Hour[]): readonly Refusal[] {
  const sums = new Map<Refusal['code'], number>()
  for (const { code, count } of hours.flatMap(({ refused }) => refused))
    sums.set(code, (sums.get(code) ?? 0) + count)
  return [...sums].map(([code, count]) => ({ code, count })).toSorted((one, other) => other.count - one.count)
}

function Durations({ hours }: { readonly hours: readonly Hour[] }) {
  const t = useTexts(overviewTexts)
  const format = useFormat()
  const duration = (ms: number | null) => (ms === null ? t.none : t.milliseconds(format.number(ms)))
  return (
    <ChartFigure
      title={t.latency}
      hint={t.latencyHint}
      empty={hours.every(({ accepted }) => accepted === 0) ? t.noRequests : null}
      legend={
        <ul className={classes.legend}>
          <li data-line="p50">{t.p50}</li>
          <li data-line="p99">{t.p99}</li>
        </ul>
      }
      table={
        <DataTable
          label={t.latency}
          columns={[
            { id: 'hour', name: t.hour, cell: ({ from }) => format.hour(from) },
            { id: 'accepted', name: t.accepted, align: 'end', cell: one => format.number(one.accepted) },
            { id: 'p50', name: t.p50, align: 'end', cell: ({ p50_ms }) => duration(p50_ms) },
            { id: 'p99', name: t.p99, align: 'end', cell: ({ p99_ms }) => duration(p99_ms) },
          ]}
          rows={hours.toReversed()}
          rowKey={({ from }) => from}
        />
      }
      drawn={{ kind: 'durations', hours, duration }}
    />
  )
}
