import type { ReactNode } from 'react'
import classes from './card.module.css'

interface CardProps {
  readonly children: ReactNode
  /** The name of the section for screen readers, where it has no heading of its own. */
  readonly label?: string
  /** Without space around its content, for lists. */
  readonly flush?: boolean
}

/** A white surface on the page: one subject. */
export function Card({ children, label, flush = false }: CardProps) {
  return (
    <section className={classes.card} data-flush={flush || undefined} aria-label={label}>
      {children}
    </section>
  )
}
