import { Link, type LinkProps, useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'
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
  return (
    <nav ref={useCurrentSeen(shown)} className={classes.sections} aria-label={label}>
      <ul>
        {names.map((name, index) => (
          <li key={name}>
            <Link
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

interface SubPagesProps {
  readonly label: string
  readonly pages: readonly (readonly [to: NonNullable<LinkProps['to']>, name: string])[]
}

/** Pages of one subject, each a link. */
export function SubPages({ label, pages }: SubPagesProps) {
  const { pathname } = useLocation()
  return (
    <nav ref={useCurrentSeen(pathname)} className={classes.sections} aria-label={label}>
      <ul>
        {pages.map(([to, name]) => (
          <li key={to}>
            <Link
              to={to}
              className={classes.section}
              // The address of a first page begins those of the others.
              activeOptions={{
                exact: pages.some(([other]) => other.startsWith(`${to}/`)),
                includeSearch: false,
              }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Scrolls a row of links, and not the page, so that the current one is seen, also once the row has another width. */
export function useCurrentSeen(current: string): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = row.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => {
      const link = element.querySelector<HTMLElement>(`[aria-current='page']`)
      if (link !== null) element.scrollLeft = link.offsetLeft - (element.clientWidth - link.offsetWidth) / 2
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [current])
  return row
}
