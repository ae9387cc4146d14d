import type { Invitation } from '@batua/sdk'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { invitationTexts } from './invitation-texts.ts'

/** Platforms that want this person as an owner; nothing where none does. */
export function Invitations() {
  const t = useTexts(invitationTexts)
  const invitations = useRead('listInvitations', { limit: 5 }).data?.invitations ?? []
  if (invitations.length === 0) return null
  return (
    <Stack gap="sm" mb="lg" component="section" aria-label={t.title}>
      {invitations.map(invitation => (
        <OneInvitation key={invitation.owner_id} invitation={invitation} />
      ))}
    </Stack>
  )
}

function OneInvitation({ invitation }: { readonly invitation: Invitation }) {
  const t = useTexts(invitationTexts)
  const format = useFormat()
  const [asking, ask] = useState<'accept' | 'decline' | null>(null)
  const { owner_id, platform_name, created_at } = invitation
  const close = () => ask(null)
  const accept = useAct('acceptInvitation', {
    onDone() {
      close()
      sayDone(t.isAccepted(platform_name))
    },
  })
  const decline = useAct('declineInvitation', {
    onDone() {
      close()
      sayDone(t.isDeclined(platform_name))
    },
  })
  return (
    <Card>
      <Title order={2} size="h3">
        {t.invites(platform_name)}
      </Title>
      <Text c="dimmed" mb="sm">
        {t.since(format.date(created_at))}
      </Text>
      <Group gap="sm">
        <Button variant="default" onClick={() => ask('decline')}>
          {t.decline}
        </Button>
        <Button onClick={() => ask('accept')}>{t.accept}</Button>
      </Group>
      <Confirm
        opened={asking === 'accept'}
        title={t.acceptTitle(platform_name)}
        act={t.accept}
        acting={accept.isPending}
        error={accept.error}
        onAct={() => accept.mutate({ owner_id })}
        onClose={close}
      >
        <Text>{t.acceptText}</Text>
      </Confirm>
      <Confirm
        opened={asking === 'decline'}
        title={t.declineTitle(platform_name)}
        act={t.decline}
        danger
        acting={decline.isPending}
        error={decline.error}
        onAct={() => decline.mutate({ owner_id })}
        onClose={close}
      >
        <Text>{t.declineText}</Text>
      </Confirm>
    </Card>
  )
}
