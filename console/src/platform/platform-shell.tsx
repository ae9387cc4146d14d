import { Outlet } from '@tanstack/react-router'
import { SessionProvider } from '../api/api.tsx'
import { useTexts } from '../language/language.tsx'
import { IS_SANDBOX } from '../shell/mode.ts'
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
          { to: '/platform/payments', label: t.payments, icon: 'money' },
          { to: '/platform/webhooks', label: t.webhooks, icon: 'repeat' },
          { to: '/platform/requests', label: t.requests, icon: 'overview' },
          ...(IS_SANDBOX ? [{ to: '/platform/sandbox', label: t.sandbox, icon: 'play' } as const] : []),
        ]}
      >
        <Outlet />
      </Shell>
    </SessionProvider>
  )
}
