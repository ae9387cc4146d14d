import type { Platform } from '@batua/sdk'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Confirm } from '../../components/confirm.tsx'
import { useTextFields } from '../../components/text-fields.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { webhooksTexts } from './texts.ts'

interface WebhookAddressProps {
  readonly platform: Pick<Platform, 'platform_id' | 'webhook_url'>
}

/** The button that changes where the events of the platform go. */
export function WebhookAddress({ platform }: WebhookAddressProps) {
  const t = useTexts(webhooksTexts)
  const [isAsked, ask] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => ask(true)}>
        {platform.webhook_url === null ? t.setAddress : t.changeAddress}
      </Button>
      {isAsked && <NewAddress platform={platform} onClose={() => ask(false)} />}
    </>
  )
}

function NewAddress({
  platform: { platform_id, webhook_url },
  onClose,
}: WebhookAddressProps & { readonly onClose: () => void }) {
  const t = useTexts(webhooksTexts)
  const { values, check, inputs } = useTextFields(
    {
      address: {
        ...{ label: t.address, hint: t.addressFieldHint, type: 'url' },
        wrong: text => text !== '' && !/^https?:\/\/\S+$/.test(text) && t.addressWrong,
      },
    },
    { address: webhook_url ?? '' },
  )
  const change = useAct('updatePlatform', {
    onDone(changed) {
      onClose()
      sayDone(changed.webhook_url === null ? t.noAddress : t.addressIsSet)
    },
  })
  return (
    <Confirm
      opened
      title={webhook_url === null ? t.setAddress : t.changeAddress}
      act={t.saveAddress}
      acting={change.isPending}
      error={change.error}
      onAct={() => {
        const { address } = values
        if (check()) change.mutate({ platform_id, webhook_url: address === '' ? null : address })
      }}
      onClose={onClose}
    >
      <Text>{t.addressHint}</Text>
      {inputs}
    </Confirm>
  )
}
