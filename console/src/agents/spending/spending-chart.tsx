import type { Spending } from '@batua/sdk'
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { useFormat, useTexts } from '../../language/language.tsx'
import classes from './spending.module.css'
import { spendingTexts } from './texts.ts'

const HEIGHT_PX = 260

/** A bar for each day, with a part for each payee. What it shows is in the tables too, so it takes no focus. */
export function SpendingChart({ spent: { days, payees, others } }: { readonly spent: Spending }) {
  const t = useTexts(spendingTexts)
  const format = useFormat()
  const rows = days.map(({ date, ...sums }) => ({ ...sums, date: format.day(date) }))
  const stack = { stackId: 'payees', isAnimationActive: false } as const
  return (
    <div className={classes.chart}>
      <ResponsiveContainer width="100%" height={HEIGHT_PX}>
        <BarChart data={rows} accessibilityLayer={false} margin={{ top: 8, right: 0, bottom: 0, left: 0 }}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis dataKey="date" tickLine={false} axisLine={false} minTickGap={24} tick={TICK} />
          <YAxis
            tickLine={false}
            axisLine={false}
            width={60}
            allowDecimals={false}
            tick={TICK}
            tickFormatter={format.shortAmount}
          />
          <Tooltip
            cursor={{ fill: 'var(--wash)' }}
            formatter={value => format.amount(Number(value))}
            contentStyle={TOOLTIP}
            isAnimationActive={false}
          />
          {payees.map(({ agent_id, agent_name }, index) => (
            <Bar
              key={agent_id}
              {...stack}
              name={agent_name}
              dataKey={(row: (typeof rows)[number]) => row.payees[index] ?? 0}
              fill={`var(--series-${index})`}
            />
          ))}
          {others.payments > 0 && (
            <Bar {...stack} name={t.others} dataKey="others" fill="var(--series-others)" />
          )}
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}

const TICK = { fill: 'var(--mantine-color-dimmed)', fontSize: 12 }

const TOOLTIP = {
  background: 'var(--mantine-color-body)',
  border: '1px solid var(--line)',
  borderRadius: 10,
  color: 'var(--mantine-color-text)',
}
