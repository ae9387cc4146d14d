import type { ReactElement, ReactNode } from 'react'
import { ResponsiveContainer } from 'recharts'
import { Card } from '../../components/card.tsx'
import { useTexts } from '../../language/language.tsx'
import classes from './overview.module.css'
import { overviewTexts } from './texts.ts'

interface ChartFigureProps {
  readonly title: string
  readonly hint?: string
  /** In place of the chart when it would show nothing. */
  readonly empty: string | null
  readonly legend?: ReactNode
  /** The same values for whoever does not see the chart. */
  readonly table: ReactNode
  /** The chart. */
  readonly children: ReactElement
}

/** A chart with its title, and the same values as a table. */
export function ChartFigure({ title, hint, empty, legend, table, children }: ChartFigureProps) {
  const t = useTexts(overviewTexts)
  return (
    <Card>
      <figure className={classes.figure}>
        <figcaption>
          <strong>{title}</strong>
          {hint !== undefined && <div className={classes.hint}>{hint}</div>}
        </figcaption>
        {empty === null ? (
          <div className={classes.drawing} aria-hidden>
            <ResponsiveContainer>{children}</ResponsiveContainer>
          </div>
        ) : (
          <div className={classes.empty}>{empty}</div>
        )}
        {empty === null && legend}
        {empty === null && (
          <details>
            <summary>{t.asTable}</summary>
            {table}
          </details>
        )}
      </figure>
    </Card>
  )
}
