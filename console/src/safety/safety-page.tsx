import { Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { PageTitle } from '../components/page-title.tsx'
import { Sections } from '../components/sections.tsx'
import { useTexts } from '../language/language.tsx'
import { AllowancesSection } from './allowances-section.tsx'
import { ConnectedApps } from './connected-apps.tsx'
import { EmergencyStop } from './emergency-stop.tsx'
import { Notifications } from './notifications.tsx'
import { Passkeys } from './passkeys.tsx'
import { Sessions } from './sessions.tsx'
import { safetyTexts } from './texts.ts'

const route = getRouteApi('/owner/safety')

/** An owner's emergency stop; below it her logins, what may act for her agents, or her notifications. */
export function SafetyPage() {
  const t = useTexts(safetyTexts)
  const { section = 'login' } = route.useSearch()
  return (
    <>
      <PageTitle lead={t.ownerLead}>{t.title}</PageTitle>
      <Stack gap="sm">
        <EmergencyStop />
        <Sections label={t.title} sections={t.sections} shown={section} />
      </Stack>
      <Stack gap="xl">
        {section === 'login' && <Logins />}
        {section === 'apps' && (
          <>
            <AllowancesSection />
            <ConnectedApps />
          </>
        )}
        {section === 'notifications' && <Notifications />}
      </Stack>
    </>
  )
}

/** An administrator's logins. */
export function AdminSafetyPage() {
  const t = useTexts(safetyTexts)
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <Stack gap="xl">
        <Logins />
      </Stack>
    </>
  )
}

/** The passkeys, and who is logged in as this person. */
function Logins() {
  return (
    <>
      <Passkeys />
      <Sessions />
    </>
  )
}
