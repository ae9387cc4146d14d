import { Outlet } from '@tanstack/react-router'
import { SessionProvider } from '../api/api.tsx'
import { useTexts } from '../language/language.tsx'
import { useKeepNotifications } from '../safety/push-here.ts'
import { NavigationCount } from '../shell/navigation-count.tsx'
import { Shell } from '../shell/shell.tsx'
import { ownerTexts } from './texts.ts'
import { useWaiting } from './use-waiting.ts'

export function OwnerShell() {
  return (
    <SessionProvider value="owner">
      <OwnerFrame />
    </SessionProvider>
  )
}

/** The owner's console: its navigation, with the number of requests that wait. */
function OwnerFrame() {
  const t = useTexts(ownerTexts)
  useKeepNotifications()
  const waiting = useWaiting().data?.pagination.total ?? 0
  const count = <NavigationCount count={waiting} meaning={t.waiting(waiting)} />
  return (
    <Shell
      session="owner"
      destinations={[
        { to: '/inbox', label: t.inbox, icon: 'inbox', count },
        { to: '/agents', label: t.agents, icon: 'agents' },
        { to: '/money', label: t.money, icon: 'money' },
        { to: '/organizations', label: t.organizations, icon: 'people' },
        { to: '/safety', label: t.safety, icon: 'safety' },
      ]}
    >
      <Outlet />
    </Shell>
  )
}
