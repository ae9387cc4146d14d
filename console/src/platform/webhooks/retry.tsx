import type { WebhookDelivery } from '@batua/sdk'
import { Button } from '@mantine/core'
import { useAct } from '../../api/use-act.ts'
import { useDeliveryError } from '../../components/delivery-texts.ts'
import { ErrorLine } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { webhooksTexts } from './texts.ts'

/** Sends an event again now. */
export function Retry({
  delivery: { delivery_id, event },
}: {
  readonly delivery: Pick<WebhookDelivery, 'delivery_id' | 'event'>
}) {
  const t = useTexts(webhooksTexts)
  const errorOf = useDeliveryError()
  const retry = useAct('retryWebhookDelivery', {
    onDone: delivery => {
      const error = errorOf(delivery)
      sayDone(error === null ? t.tested(delivery.response_status ?? 200) : t.testFailed(error))
    },
  })
  return (
    <>
      <Button
        size="sm"
        variant="default"
        leftSection={<Icon name="repeat" size={16} />}
        aria-label={t.retryOne(event)}
        loading={retry.isPending}
        onClick={() => retry.mutate({ delivery_id })}
      >
        {t.retry}
      </Button>
      {retry.error !== null && <ErrorLine error={retry.error} />}
    </>
  )
}
