import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ResultOf, useClient, useSession } from '../api/api.tsx'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useLanguage, useTexts } from '../language/language.tsx'
import type { Settings } from './notification-kinds.tsx'
import { notificationTexts } from './notification-texts.ts'
import { pushPermission, rememberSubscription, subscribeHere, unsubscribeHere } from './push-here.ts'

/** Turns notifications on and off in this browser. The browser asks the person before it shows any. */
export function PushHere({ settings }: { readonly settings: Settings }) {
  const t = useTexts(notificationTexts)
  const permission = pushPermission()
  const here = useRead('listPushSubscriptions', {}).data?.push_subscriptions.find(({ current }) => current)
  const isChosen = Object.values(settings.kinds).some(({ push }) => push)
  return (
    <Card>
      <Group justify="space-between">
        <div>
          <Title order={3}>{t.here}</Title>
          <Text c="dimmed">
            {permission === 'possible' ? (here === undefined ? t.off : t.on) : t[permission]}
          </Text>
          {here !== undefined && !isChosen && <Text>{t.nothingChosen}</Text>}
        </div>
        {here === undefined ? (
          permission === 'possible' && <TurnOn publicKey={settings.push_public_key} />
        ) : (
          <TurnOff id={here.subscription_id} />
        )}
      </Group>
    </Card>
  )
}

type Subscription = ResultOf<'createPushSubscription'>

function TurnOn({ publicKey }: { readonly publicKey: string }) {
  const t = useTexts(notificationTexts)
  const { language } = useLanguage()
  const client = useClient()
  const session = useSession()
  const queries = useQueryClient()
  const turnOn = useMutation({
    async mutationFn(): Promise<Subscription | null> {
      const endpoint = await subscribeHere(publicKey)
      if (endpoint === null) return null
      const added = await client.createPushSubscription({ ...endpoint })
      rememberSubscription(added.subscription_id)
      await client.updateNotificationSettings({ language })
      return added
    },
    onSuccess: added => {
      if (added !== null) sayDone(t.isOn)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [session] }),
    meta: { session },
  })
  return (
    <Stack gap="xs">
      <Button loading={turnOn.isPending} onClick={() => turnOn.mutate()}>
        {t.turnOn}
      </Button>
      {turnOn.isError && (
        <Text size="sm" role="alert">
          {t.failed}
        </Text>
      )}
    </Stack>
  )
}

function TurnOff({ id }: { readonly id: string }) {
  const t = useTexts(notificationTexts)
  const client = useClient()
  const session = useSession()
  const queries = useQueryClient()
  const turnOff = useMutation({
    async mutationFn() {
      await client.endPushSubscription({ subscription_id: id })
      await unsubscribeHere()
    },
    onSuccess: () => sayDone(t.isOff),
    onSettled: () => queries.invalidateQueries({ queryKey: [session] }),
    meta: { session },
  })
  return (
    <Button variant="default" loading={turnOff.isPending} onClick={() => turnOff.mutate()}>
      {t.turnOff}
    </Button>
  )
}
