import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Session } from '../api/api.tsx'
import { Card } from '../components/card.tsx'
import { PageTitle } from '../components/page-title.tsx'
import { useTexts } from '../language/language.tsx'
import { Brand } from '../shell/brand.tsx'
import { PreferencesButton } from '../shell/preferences-button.tsx'
import classes from './login.module.css'
import { loginTexts } from './texts.ts'

const PAGES = [
  ['owner', '/login', 'toOwner'],
  ['platform', '/platform/login', 'toPlatform'],
  ['admin', '/admin/login', 'toAdmin'],
] as const

interface LoginFrameProps {
  readonly session: Session
  /** The caller was sent here because a session ended. */
  readonly isBack: boolean
  readonly children: ReactNode
}

/** A page to log in: the form, and the ways to the other consoles. */
export function LoginFrame({ session, isBack, children }: LoginFrameProps) {
  const t = useTexts(loginTexts)
  return (
    <div className={classes.frame}>
      <header className={classes.top}>
        <Brand />
        <PreferencesButton />
      </header>
      <main id="content" className={classes.main}>
        <Card>
          <PageTitle lead={t[`${session}Lead`]}>{t[session]}</PageTitle>
          {isBack && (
            <Text className={classes.notice} role="status">
              {t.loggedOut}
            </Text>
          )}
          {children}
        </Card>
        <nav aria-label={t.otherConsoles} className={classes.others}>
          {PAGES.filter(([name]) => name !== session).map(([name, to, label]) => (
            <Link key={name} to={to}>
              {t[label]}
            </Link>
          ))}
        </nav>
      </main>
    </div>
  )
}
