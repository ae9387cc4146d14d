import type { Platform } from '@batua/sdk'
import { Box, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Card } from '../../components/card.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Facts } from '../../components/facts.tsx'
import { Notice } from '../../components/notice.tsx'
import { ShownOnce } from '../../components/shown-once.tsx'
import { useTexts } from '../../language/language.tsx'
import { WebhookAddress } from '../webhooks/webhook-address.tsx'
import { startTexts } from './texts.ts'

/** The platform, where its events go, and the secret that signs them. */
export function PlatformCard({ platform }: { readonly platform: Platform }) {
  const t = useTexts(startTexts)
  const { name, platform_id, webhook_url, webhook_disabled_at } = platform
  return (
    <Card>
      <Title order={2} mb="sm">
        {t.platform}
      </Title>
      <Facts
        facts={[
          [t.name, name],
          [t.id, platform_id],
          [t.webhookUrl, webhook_url ?? t.none],
        ]}
      />
      <Stack mt="md">
        {webhook_disabled_at !== null && <Notice kind="warn">{t.disabled}</Notice>}
        <Group gap="sm" align="start">
          <WebhookAddress platform={platform} />
          <NewSecret platformId={platform_id} />
        </Group>
      </Stack>
    </Card>
  )
}

/** Replaces the secret that signs webhooks. The new one is shown once. */
function NewSecret({ platformId }: { readonly platformId: string }) {
  const t = useTexts(startTexts)
  const [isAsked, ask] = useState(false)
  const rotate = useAct('rotateWebhookSecret', { onDone: () => ask(false) })
  return (
    <>
      {rotate.data === undefined ? (
        <Button variant="default" onClick={() => ask(true)}>
          {t.newSecret}
        </Button>
      ) : (
        <Box w="100%">
          <ShownOnce what={t.secret} secret={rotate.data.webhook_secret} onStored={() => rotate.reset()}>
            {t.once}
          </ShownOnce>
        </Box>
      )}
      {isAsked && (
        <Confirm
          opened
          title={t.newSecret}
          act={t.newSecret}
          acting={rotate.isPending}
          error={rotate.error}
          onAct={() => rotate.mutate({ platform_id: platformId })}
          onClose={() => ask(false)}
        >
          <Text>{t.newSecretHint}</Text>
        </Confirm>
      )}
    </>
  )
}
