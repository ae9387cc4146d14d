import type { WebhookDelivery } from '@batua/sdk'
import { useTexts } from '../language/language.tsx'
import { texts } from '../language/texts.ts'

const deliveryTexts = texts({
  en: {
    responded: (status: number) => `The receiver responded with ${status}`,
    redirected: (status: number) => `The receiver redirected (${status}): redirects are not followed`,
    gone: 'The receiver responded with 410: nothing more is sent until the address is set again',
  },
  hi: {
    responded: status => `पाने वाले ने ${status} से जवाब दिया`,
    redirected: status => `पाने वाले ने दूसरे पते पर भेजा (${status}): वहाँ नहीं भेजा जाता`,
    gone: 'पाने वाले ने 410 से जवाब दिया: पता फिर से तय होने तक कुछ नहीं भेजा जाएगा',
  },
})

const GONE = 410

/**
 * Why the last attempt of a delivery failed; null: it did not. Without a response it is the service’s own sentence, for
 * developers.
 */
export function useDeliveryError(): (
  delivery: Pick<WebhookDelivery, 'response_status' | 'last_error'>,
) => string | null {
  const t = useTexts(deliveryTexts)
  return ({ response_status: status, last_error }) => {
    if (last_error === null || status === null) return last_error
    if (status === GONE) return t.gone
    return status >= 300 && status < 400 ? t.redirected(status) : t.responded(status)
  }
}
