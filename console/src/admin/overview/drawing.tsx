import type { Activity } from '@batua/sdk'
import {
  Bar,
  BarChart,
  CartesianGrid,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { useFormat } from '../../language/language.tsx'
import classes from './overview.module.css'

type Day = Activity['days'][number]
type Hour = Activity['hours'][number]

/** Refusals for one reason, in words. */
export interface NamedRefusal {
  readonly code: string
  readonly name: string
  readonly count: number
}

/** What a figure draws. */
export type Drawn =
  | { readonly kind: 'sums'; readonly days: readonly Day[]; readonly of: 'volume' | 'fees' }
  | { readonly kind: 'refusals'; readonly refusals: readonly NamedRefusal[] }
  | {
      readonly kind: 'durations'
      readonly hours: readonly Hour[]
      readonly duration: (ms: number | null) => string
    }

const AXIS = { tickLine: false, axisLine: false } as const
/** An hour between two hours without requests is only a dot. */
const DOT = { r: 2, strokeDasharray: '' }
const GRID = <CartesianGrid vertical={false} stroke="var(--line)" />

/** The drawing of a figure. It is in a file of its own because Recharts is as large as the rest of the page. */
export function Drawing({ drawn }: { readonly drawn: Drawn }) {
  if (drawn.kind === 'sums') return <Sums {...drawn} />
  if (drawn.kind === 'refusals') return <Refusals {...drawn} />
  return <Durations {...drawn} />
}

function Sums({ days, of }: { readonly days: readonly Day[]; readonly of: 'volume' | 'fees' }) {
  const format = useFormat()
  return (
    <ResponsiveContainer>
      <BarChart data={[...days]} accessibilityLayer={false}>
        {GRID}
        <XAxis dataKey="day" {...AXIS} tickFormatter={format.day} minTickGap={24} />
        <YAxis {...AXIS} width={52} tickFormatter={format.shortAmount} />
        <Tooltip
          cursor={{ fill: 'var(--wash)' }}
          content={<Tip>{(day: Day) => `${format.date(day.day)}: ${format.amount(day[of])}`}</Tip>}
        />
        <Bar dataKey={of} fill="var(--accent-text)" radius={3} isAnimationActive={false} />
      </BarChart>
    </ResponsiveContainer>
  )
}

function Refusals({ refusals }: { readonly refusals: readonly NamedRefusal[] }) {
  const format = useFormat()
  return (
    <ResponsiveContainer>
      <BarChart data={[...refusals]} layout="vertical" accessibilityLayer={false}>
        <XAxis type="number" {...AXIS} allowDecimals={false} tickFormatter={format.number} />
        <YAxis type="category" dataKey="name" {...AXIS} width={128} />
        <Tooltip
          cursor={{ fill: 'var(--wash)' }}
          content={<Tip>{(one: NamedRefusal) => `${one.name}: ${format.number(one.count)}`}</Tip>}
        />
        <Bar dataKey="count" fill="var(--warn-text)" radius={3} maxBarSize={22} isAnimationActive={false} />
      </BarChart>
    </ResponsiveContainer>
  )
}

interface DurationsProps {
  readonly hours: readonly Hour[]
  readonly duration: (ms: number | null) => string
}

function Durations({ hours, duration }: DurationsProps) {
  const format = useFormat()
  return (
    <ResponsiveContainer>
      <LineChart data={[...hours]} accessibilityLayer={false}>
        {GRID}
        <XAxis dataKey="from" {...AXIS} tickFormatter={format.hour} minTickGap={24} />
        <YAxis {...AXIS} width={60} tickFormatter={duration} />
        <Tooltip
          content={
            <Tip>
              {(hour: Hour) =>
                `${format.hour(hour.from)}: ${duration(hour.p50_ms)}, ${duration(hour.p99_ms)}`
              }
            </Tip>
          }
        />
        <Line
          dataKey="p50_ms"
          stroke="var(--accent-text)"
          strokeWidth={2}
          dot={DOT}
          isAnimationActive={false}
        />
        <Line
          dataKey="p99_ms"
          stroke="var(--warn-text)"
          strokeWidth={2}
          strokeDasharray="4 3"
          dot={DOT}
          isAnimationActive={false}
        />
      </LineChart>
    </ResponsiveContainer>
  )
}

interface TipProps<Point> {
  readonly children: (point: Point) => string
  /** Recharts sets these. */
  readonly active?: boolean
  readonly payload?: readonly { readonly payload?: Point }[]
}

/** The values of the point below the pointer. */
function Tip<Point>({ children, active = false, payload = [] }: TipProps<Point>) {
  const point = payload[0]?.payload
  return active && point !== undefined ? <div className={classes.tip}>{children(point)}</div> : null
}
