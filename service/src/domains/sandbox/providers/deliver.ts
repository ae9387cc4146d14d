import type { Logger } from '../../../kernel/logger.ts'
import type { OutgoingWebhook } from './webhooks.ts'

/** Posts a notice to our intake. It resolves when the intake has answered, whatever it answered. */
export type Deliver = (notice: OutgoingWebhook) => Promise<void>

const TIMEOUT_MS = 15_000

/** Posts a sandbox gateway's notices to our own intake over the network, as a real gateway does. */
export function deliverOverHttp(baseUrl: () => string, logger: Logger, gateway = 'sandbox'): Deliver {
  return async ({ body, headers }) => {
    const url = `${baseUrl()}/v1/gateway/${gateway}/webhooks`
    try {
      const answer = await fetch(url, {
        method: 'POST',
        body,
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await answer.arrayBuffer()
      if (!answer.ok)
        logger.warn({ gateway, status: answer.status }, 'sandbox gateway: a notice was not taken')
    } catch (error) {
      // A lost notice is part of the rehearsal: the service finds the payment by asking.
      logger.warn({ gateway, err: error }, 'sandbox gateway: a notice could not be delivered')
    }
  }
}
