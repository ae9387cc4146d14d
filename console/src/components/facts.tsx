import type { ReactNode } from 'react'
import classes from './facts.module.css'

interface FactsProps {
  /** A name and its value; a value of null is left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}

/** Names and values below each other: what one record says. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
