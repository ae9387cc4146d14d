import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { PageSection } from '../api/search.ts'
import classes from './sections.module.css'

interface SectionsProps<Name extends PageSection> {
  /** What the sections belong to, for screen readers. */
  readonly label: string
  /** The names of the sections in their order; the first has no name in the address. */
  readonly sections: Readonly<Record<Name, string>>
  readonly shown: Name
}

/** The parts of a page, each with an address of its own: `?section=…`. */
export function Sections<Name extends PageSection>({ label, sections, shown }: SectionsProps<Name>) {
  const names = Object.keys(sections) as Name[]
  const list = useRef<HTMLElement>(null)
  useEffect(() => showCurrent(list.current, shown), [shown])
  return (
    <nav ref={list} className={classes.sections} aria-label={label}>
      <ul>
        {names.map((name, index) => (
          <li key={name}>
            <Link
              data-section={name}
              to="."
              search={index === 0 ? {} : { section: name }}
              className={classes.section}
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={name === shown ? 'page' : undefined}
              resetScroll={false}
            >
              {sections[name]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Scrolls the names, and not the page, so that the one that is shown is seen. */
function showCurrent(list: HTMLElement | null, name: string): void {
  const current = list?.querySelector<HTMLElement>(`[data-section="${name}"]`)
  if (list === null || current === null || current === undefined) return
  list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2
}
