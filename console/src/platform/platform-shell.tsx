import { Outlet } from '@tanstack/react-router'
import { SessionProvider } from '../api/api.tsx'
import { useTexts } from '../language/language.tsx'
import { Shell } from '../shell/shell.tsx'
import { platformTexts } from './texts.ts'

/** The developer's console and its navigation. */
export function PlatformShell() {
  const t = useTexts(platformTexts)
  return (
    <SessionProvider value="platform">
      <Shell
        session="platform"
        destinations={[
          { to: '/platform', label: t.start, icon: 'developer' },
          { to: '/platform/owners', label: t.owners, icon: 'people' },
          { to: '/platform/agents', label: t.agents, icon: 'agents' },
          { to: '/platform/webhooks', label: t.webhooks, icon: 'repeat' },
        ]}
      >
        <Outlet />
      </Shell>
    </SessionProvider>
  )
}
