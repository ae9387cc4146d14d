import { retryLater, type WebhookHandler } from '../gateway-webhooks.ts'
import { checkPayout } from './check-payout.ts'
import type { PayoutsContext } from './context.ts'
import { payoutIdOf } from './payout.ts'
import { selectPayoutById } from './store.ts'

/** The webhook handler of the payout provider: a webhook names the payout to query. */
export function payoutWebhooks(context: PayoutsContext): WebhookHandler[] {
  const { payoutProvider } = context
  return [
    {
      name: payoutProvider.name,
      read(rawBody, headers) {
        const { valid, dedupeKey, transferIds } = payoutProvider.parseWebhook(rawBody, headers)
        return {
          valid,
          dedupeKey,
          async follow() {
            for (const transferId of transferIds) await follow(context, transferId)
          },
        }
      },
    },
  ]
}

async function follow(context: PayoutsContext, transferId: string): Promise<void> {
  const id = payoutIdOf(transferId)
  // Transfers with an id of another shape belong to another system that shares the account at the provider.
  if (id === null) return
  const payout = await selectPayoutById(context.database, id)
  if (payout === null) {
    context.logger.error({ transfer_id: transferId }, 'payout webhook: unknown payout')
    return
  }
  const { reported } = await checkPayout(context, payout)
  if (reported === 'no_response') throw retryLater()
}
