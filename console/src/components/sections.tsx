import { Link } from '@tanstack/react-router'
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
    <nav className={classes.sections} aria-label={label}>
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
