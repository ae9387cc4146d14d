import { Link, type LinkProps } from '@tanstack/react-router'
import classes from './admin.module.css'

interface SectionsProps {
  /** What the pages have in common, for screen readers. */
  readonly label: string
  readonly sections: readonly {
    readonly to: NonNullable<LinkProps['to']>
    readonly name: string
    /** The first page's address begins those of the others. */
    readonly exact?: boolean
  }[]
}

/** The pages of one subject beside each other. */
export function Sections({ label, sections }: SectionsProps) {
  return (
    <nav className={classes.sections} aria-label={label}>
      <ul>
        {sections.map(({ to, name, exact = false }) => (
          <li key={to}>
            <Link
              to={to}
              className={classes.section}
              activeOptions={{ exact, includeSearch: false }}
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
