import type { Client } from '../client/client.ts'
import { decodeChallenge } from '../protocol/headers.ts'
import { CHALLENGE_HEADER, type PaymentChallenge } from '../protocol/messages.ts'
import { mppSellers } from './mpp-sellers.ts'
import { type IsOwnService, ownServiceOf } from './own-service.ts'
import { x402Sellers } from './x402-sellers.ts'

/**
 * The price that a response asks for, by pay-per-call, x402 or MPP; null if it asks for none that `payingFetch` would pay,
 * and `unreadable` if its `X-SERVICE-PAY` is malformed. Of x402 and MPP only a price at the service of the client counts; without
 * a client a price at any service, which is good for display only. Never throws.
 */
export async function priceOf(
  response: Response,
  client?: Client,
): Promise<PaymentChallenge | 'unreadable' | null> {
  if (response.status !== 402) return null
  const own = response.headers.get(CHALLENGE_HEADER)
  if (own !== null) return decodeChallenge(own) ?? 'unreadable'
  const isOwn: IsOwnService = client === undefined ? async () => true : ownServiceOf({ client })
  const offer =
    (await x402Sellers(isOwn).offerIn(response, null)) ??
    (await mppSellers(isOwn, '').offerIn(response, null))
  return offer?.challenge ?? null
}
