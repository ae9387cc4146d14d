import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Card } from '../../components/card.tsx'
import { useTexts } from '../../language/language.tsx'
import type { Drawn } from './drawing.tsx'
import classes from './overview.module.css'
import { overviewTexts } from './texts.ts'

interface ChartFigureProps {
  readonly title: string
  readonly hint?: string
  /** In place of the chart when it would show nothing. */
  readonly empty: string | null
  readonly legend?: ReactNode
  /** The same values for readers who do not see the chart. */
  readonly table: ReactNode
  readonly drawn: Drawn
}

const Drawing = lazy(async () => ({ default: (await import('./drawing.tsx')).Drawing }))

/** A chart with its title, and the same values as a table. */
export function ChartFigure({ title, hint, empty, legend, table, drawn }: ChartFigureProps) {
  const t = useTexts(overviewTexts)
  return (
    <Card>
      <figure className={classes.figure}>
        <figcaption>
          <strong>{title}</strong>
          {hint !== undefined && <div className={classes.hint}>{hint}</div>}
        </figcaption>
        {empty === null ? <SeenDrawing drawn={drawn} /> : <div className={classes.empty}>{empty}</div>}
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

/** The drawing, loaded when its place comes into view; until then words in a place of the same height. */
function SeenDrawing({ drawn }: { readonly drawn: Drawn }) {
  const t = useTexts(overviewTexts)
  const place = useRef<HTMLDivElement>(null)
  const [isSeen, see] = useState(false)
  useEffect(() => {
    if (place.current === null) return undefined
    const observer = new IntersectionObserver(entries => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) see(true)
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  const words = <div className={classes.waiting}>{t.drawingLoading}</div>
  return (
    <div ref={place} className={classes.drawing} aria-hidden>
      {isSeen ? (
        <Suspense fallback={words}>
          <Drawing drawn={drawn} />
        </Suspense>
      ) : (
        words
      )}
    </div>
  )
}
