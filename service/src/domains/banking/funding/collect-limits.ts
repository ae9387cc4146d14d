import { type Refusal, raise } from '../../../kernel/app-error.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import { rateLimitExceeded } from '../../../kernel/rate-limit-exceeded.ts'
import type { Job } from '../../../operations/jobs.ts'
import {
  type CollectParties,
  deleteCollectsBefore,
  insertCollect,
  lockCollects,
  type SentCollect,
  selectOwnerId,
  selectUnpaidCollects,
} from './collect-store.ts'
import type { FundingContext } from './context.ts'
import type { Funding } from './funding.ts'

/*
 * Anybody can name the UPI id of another person, and each request appears in that person's UPI app. So the requests of
 * an hour that were not paid are limited. An owner is refused only for requests of its own agents; where others have
 * used up what a UPI id may get, no request is sent, and the payer pays by the code.
 */

/** Requests an hour of one owner to one UPI id: a payer who misses two has three left. */
const OF_ONE_OWNER_TO_ONE_UPI_ID = 5
/** Requests an hour of one owner to all UPI ids. */
const OF_ONE_OWNER = 20
/** Requests an hour of all owners to one UPI id. */
const TO_ONE_UPI_ID = 20

/** Whether one more request may be sent. `others_asked`: it may not, because of requests of other owners. */
export function decideCollect(unpaid: readonly SentCollect[], now: Date): Refusal | 'send' | 'others_asked' {
  const own = unpaid.filter(({ isSameOwner }) => isSameOwner)
  const toUpiId = unpaid.filter(({ isSameUpiId }) => isSameUpiId)
  const both = own.filter(({ isSameUpiId }) => isSameUpiId)
  if (both.length >= OF_ONE_OWNER_TO_ONE_UPI_ID) {
    return exceeded('this UPI id', both, OF_ONE_OWNER_TO_ONE_UPI_ID, now)
  }
  if (own.length >= OF_ONE_OWNER) return exceeded('UPI ids', own, OF_ONE_OWNER, now)
  return toUpiId.length >= TO_ONE_UPI_ID ? 'others_asked' : 'send'
}

function exceeded(whom: string, counted: readonly SentCollect[], limit: number, now: Date): Refusal {
  const what = `${counted.length} requests to ${whom} were not paid within an hour: pay one by its code, or fund by checkout_url`
  const first = counted[counted.length - limit]?.sentAt ?? now
  return rateLimitExceeded(what, limit, first.getTime() + HOUR_MS - now.getTime())
}

/** Refuses before anything is opened for a request that will not be sent. */
export async function requireCollectLeft(
  context: FundingContext,
  ownerId: Uuid,
  upiId: string,
): Promise<void> {
  const now = context.clock.now()
  const unpaid = await selectUnpaidCollects(context.database, partiesOf(context, ownerId, upiId), since(now))
  const decided = decideCollect(unpaid, now)
  if (typeof decided !== 'string') raise(decided)
}

/** Counts a request that is about to be sent, unless it must not be. Returns its id. */
export async function claimCollect(
  context: FundingContext,
  { id: fundingId, agentId }: Funding,
  upiId: string,
): Promise<Refusal | 'others_asked' | { readonly kind: 'claimed'; readonly id: Uuid }> {
  const { database, clock } = context
  const parties = partiesOf(context, await selectOwnerId(database, agentId), upiId)
  const turns = [parties.ownerId, parties.upiIndex.toString('hex')]
  return database.inTransaction(
    async tx => {
      await lockCollects(tx, parties)
      const now = clock.now()
      const decided = decideCollect(await selectUnpaidCollects(tx, parties, since(now)), now)
      if (decided !== 'send') return decided
      const id = newUuid(now)
      await insertCollect(tx, parties, { id, fundingId, sentAt: now })
      return { kind: 'claimed', id }
    },
    { turns },
  )
}

/** UPI ids are compared without case, as UPI apps do. A plain hash of one could be found by trying names. */
function partiesOf({ vault }: FundingContext, ownerId: Uuid, upiId: string): CollectParties {
  return { ownerId, upiIndex: vault.blindIndex(upiId.toLowerCase(), 'upi_collects.upi_id') }
}

function since(now: Date): Date {
  return new Date(now.getTime() - HOUR_MS)
}

const CLEARING_MS = 60_000
const AT_ONCE = 1_000

export function collectJobs({ database }: Pick<FundingContext, 'database'>): Job[] {
  return [
    {
      name: 'old UPI collect requests',
      everyMs: CLEARING_MS,
      run: now => deleteCollectsBefore(database, since(now), AT_ONCE),
    },
  ]
}
