import type { Refusal } from '../../../kernel/app-error.ts'
import type { FundingContext } from './context.ts'
import type { Funding, FundingKey } from './funding.ts'
import { claimCollect, claimPageQuery, releasePageQuery, selectCollects } from './page-bounds-store.ts'
import { recordLastAttempt, selectFunding } from './store.ts'
import { type Collected, collectUpi, upiIntentOf } from './upi.ts'

/**
 * UPI collects in one session: a payer who mistypes twice has three left, and a stranger cannot bother a payer for
 * long.
 */
export const MAX_COLLECTS = 5
/** The least time between two queries by the checkout pages of one session, whichever browser and node. */
export const ASK_EVERY_MS = 3_000

/** Whether a checkout page may query the gateway about this session now. If so, no other page may for three seconds. */
export function mayAskGateway({ database, clock }: FundingContext, key: FundingKey): Promise<boolean> {
  const now = clock.now()
  return claimPageQuery(database, key, now, new Date(now.getTime() - ASK_EVERY_MS))
}

export type PageCollected = Exclude<Collected, 'others_asked' | Refusal> | 'too_soon' | 'too_many_collects'

/** Sends a UPI collect that a checkout page requests, within the limits of its session. */
export async function collectUpiOnPage(
  context: FundingContext,
  funding: Funding,
  upiId: string,
): Promise<PageCollected> {
  const { database, clock } = context
  const now = clock.now()
  const before = new Date(now.getTime() - ASK_EVERY_MS)
  if (!(await claimCollect(database, funding, now, before, MAX_COLLECTS))) {
    return (await selectCollects(database, funding)) >= MAX_COLLECTS ? 'too_many_collects' : 'too_soon'
  }
  const collected = await collectUpi(context, funding, upiId)
  if (collected === 'others_asked' || typeof collected !== 'string') return 'too_many_collects'
  // The page shows at once that a collect request is pending, without another query to the gateway.
  if (collected === 'requested') await recordLastAttempt(database, funding, 'pending')
  return collected
}

/**
 * The UPI address for a checkout page. Requesting it once does not delay the payer's next step; only a gateway that
 * fails is not queried again at once.
 */
export async function upiIntentOnPage(context: FundingContext, funding: Funding): Promise<string | null> {
  if (funding.upiIntent !== null) return funding.upiIntent
  if (!(await mayAskGateway(context, funding))) return null
  // A page that loaded at the same time may have requested the address after this one read the session.
  const current = await selectFunding(context.database, context.vault, funding)
  const intent = await upiIntentOf(context, current ?? funding)
  if (intent !== null) await releasePageQuery(context.database, funding)
  return intent
}
