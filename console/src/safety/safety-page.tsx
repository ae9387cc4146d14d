import { Stack } from '@mantine/core'
import { useSession } from '../api/api.tsx'
import { PageTitle } from '../components/page-title.tsx'
import { useTexts } from '../language/language.tsx'
import { EmergencyStop } from './emergency-stop.tsx'
import { Notifications } from './notifications.tsx'
import { Passkeys } from './passkeys.tsx'
import { Sessions } from './sessions.tsx'
import { safetyTexts } from './texts.ts'

/** The emergency stop, the passkeys, the notifications, and who is logged in as this person. */
export function SafetyPage() {
  const t = useTexts(safetyTexts)
  const isOwner = useSession() === 'owner'
  return (
    <>
      <PageTitle lead={isOwner ? t.ownerLead : t.lead}>{t.title}</PageTitle>
      <Stack gap="xl">
        {isOwner && <EmergencyStop />}
        <Passkeys />
        {isOwner && <Notifications />}
        <Sessions />
      </Stack>
    </>
  )
}
