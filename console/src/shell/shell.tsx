import { useIsFetching } from '@tanstack/react-query'
import { Link, type LinkProps, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Session } from '../api/api.tsx'
import { useLiveEvents } from '../api/use-live-events.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { useCurrentSeen } from '../components/sections.tsx'
import { useTexts } from '../language/language.tsx'
import { Brand } from './brand.tsx'
import { PaletteButton } from './palette-button.tsx'
import { PreferencesButton } from './preferences-button.tsx'
import classes from './shell.module.css'
import { shellTexts } from './texts.ts'
import { useKeepFocus } from './use-keep-focus.ts'

export interface Destination {
  readonly to: NonNullable<LinkProps['to']>
  readonly label: string
  readonly icon: IconName
  /** What waits there, shown beside the label. */
  readonly count?: ReactNode
}

interface ShellProps {
  readonly session: Session
  /** Whose console it is, where one person may have several. */
  readonly whose?: string | undefined
  readonly destinations: readonly Destination[]
  readonly children: ReactNode
}

/** The frame of a console: navigation below on a phone and at the side on a desk, and the page. */
export function Shell({ session, whose, destinations, children }: ShellProps) {
  const t = useTexts(shellTexts)
  useLiveEvents()
  useKeepFocus()
  const navigation = useCurrentSeen(useLocation().pathname)
  const isLoading = useIsFetching({ predicate: query => query.state.data === undefined }) > 0
  return (
    <div className={classes.shell}>
      <header className={classes.header}>
        <div className={classes.brand}>
          <Brand />
          {whose !== undefined && <span className={classes.whose}>{whose}</span>}
        </div>
        <div className={classes.tools}>
          <PaletteButton destinations={destinations} />
          <PreferencesButton session={session} />
        </div>
      </header>
      <nav ref={navigation} className={classes.navigation} aria-label={t.navigation}>
        <ul>
          {destinations.map(({ to, label, icon, count }) => (
            <li key={to}>
              <Link
                to={to}
                className={classes.destination}
                // The address of a first page begins those of the others.
                activeOptions={{
                  exact: destinations.some(other => other.to.startsWith(`${to}/`)),
                  includeSearch: false,
                }}
                activeProps={{ 'aria-current': 'page' }}
              >
                <Icon name={icon} size={22} />
                <span className={classes.label}>{label}</span>
                {count}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content" className={classes.main} aria-busy={isLoading}>
        {children}
      </main>
    </div>
  )
}
