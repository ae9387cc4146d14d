import { Outlet } from '@tanstack/react-router'
import { SessionProvider } from '../api/api.tsx'
import { useRead } from '../api/use-read.ts'
import { useTexts } from '../language/language.tsx'
import { IS_SANDBOX } from '../shell/mode.ts'
import { Shell } from '../shell/shell.tsx'
import { platformTexts } from './texts.ts'

export function PlatformShell() {
  return (
    <SessionProvider value="platform">
      <PlatformFrame />
    </SessionProvider>
  )
}

/** The developer's console: its navigation, and which platform it is of. */
function PlatformFrame() {
  const t = useTexts(platformTexts)
  const platform = useRead('getCurrentPlatform', {}).data
  return (
    <Shell
      session="platform"
      whose={platform?.name}
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
  )
}
