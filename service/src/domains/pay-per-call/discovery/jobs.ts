import { LISTING_FAILURE_DAYS } from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId } from '../../../kernel/ids.ts'
import { type DueContext, dueWork } from '../../../operations/due-work.ts'
import { recordFacts } from '../../../operations/facts.ts'
import type { PayDocuments } from './document.ts'
import { CHECKS, type EndedBecause, endedFact } from './facts.ts'
import { CHECKED_EVERY_MS } from './routes.ts'
import { type DueListing, deleteListing, dueListings, noteFailure, noteRead, postponeCheck } from './store.ts'

export interface ListingChecksContext extends DueContext {
  readonly database: Database
  readonly documents: PayDocuments
}

/** Reads the document of each listing again every hour. */
export const listingChecks = dueWork<ListingChecksContext, DueListing>({
  name: 'listing checks',
  rows: dueListings,
  concurrency: 10,
  work: check,
  failure: 'listing check failed; it will be retried',
  ids: ({ id }) => ({ listing_id: formatId('lst', id) }),
})

async function check(context: ListingChecksContext, listing: DueListing, now: Date): Promise<void> {
  const { database, documents } = context
  const { id, agentId, handle, status, origin, isOrigin, failingSince } = listing
  if (status === 'deactivated') return end(context, listing, now, 'agent_deactivated')
  if (!isOrigin) return end(context, listing, now, 'origin_removed')
  const times = { now, dueAt: new Date(now.getTime() + CHECKED_EVERY_MS) }
  // While the agent is stopped nobody finds it, and its document says nothing about its uptime.
  if (status !== 'active') return postponeCheck(database, id, times.dueAt)
  const read = await documents.read(origin, { agentId: formatId('agt', agentId), handle })
  switch (read.kind) {
    case 'read':
      return database.inTransaction(tx => noteRead(tx, id, read.document, times))
    case 'failed': {
      const isLost =
        failingSince !== null && now.getTime() - failingSince.getTime() >= LISTING_FAILURE_DAYS * DAY_MS
      if (isLost) return end(context, listing, now, 'document_failed')
      return database.inTransaction(tx => noteFailure(tx, id, times))
    }
    case 'busy':
      // The lease ends soon.
      return undefined
  }
}

async function end(
  { database, vault }: ListingChecksContext,
  { id, agentId }: DueListing,
  now: Date,
  reason: EndedBecause,
): Promise<void> {
  await database.inTransaction(async tx => {
    const origin = await deleteListing(tx, { id, agentId })
    if (origin === null) return
    await recordFacts(tx, vault, now, [endedFact(CHECKS, { id, agentId, origin }, reason)])
  })
}
