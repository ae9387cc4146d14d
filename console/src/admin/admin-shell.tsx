import { Outlet } from '@tanstack/react-router'
import { SessionProvider } from '../api/api.tsx'
import { useTexts } from '../language/language.tsx'
import { Shell } from '../shell/shell.tsx'
import { adminTexts } from './texts.ts'

/** The administrator's console and its navigation. */
export function AdminShell() {
  const t = useTexts(adminTexts)
  return (
    <SessionProvider value="admin">
      <Shell
        session="admin"
        destinations={[
          { to: '/admin', label: t.overview, icon: 'overview' },
          { to: '/admin/owners', label: t.owners, icon: 'people' },
          { to: '/admin/agents', label: t.agents, icon: 'agents' },
          { to: '/admin/risk', label: t.risk, icon: 'warning' },
          { to: '/admin/checks', label: t.checks, icon: 'check' },
          { to: '/admin/safety', label: t.safety, icon: 'safety' },
        ]}
      >
        <Outlet />
      </Shell>
    </SessionProvider>
  )
}
