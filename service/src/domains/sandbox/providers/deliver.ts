import type { Logger } from '../../../kernel/logger.ts'
import type { OutgoingWebhook } from './webhooks.ts'

/** Posts a webhook to our own route. It resolves when the route has responded, with whichever status. */
export type Deliver = (webhook: OutgoingWebhook) => Promise<void>

const TIMEOUT_MS = 15_000

/** Posts a sandbox gateway's webhooks to our own route over the network, as a real gateway does. */
export function deliverOverHttp(baseUrl: () => string, logger: Logger, gateway = 'sandbox'): Deliver {
  return async ({ body, headers }) => {
    const url = `${baseUrl()}/v1/gateway/${gateway}/webhooks`
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await response.arrayBuffer()
      if (!response.ok)
        logger.warn({ gateway, status: response.status }, 'sandbox gateway: webhook was refused')
    } catch (error) {
      // A lost webhook is part of the simulation: the service finds the payment by polling.
      logger.warn({ gateway, err: error }, 'sandbox gateway: webhook could not be delivered')
    }
  }
}
