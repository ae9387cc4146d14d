import {
  deleteListing as deleteRoute,
  type Listing,
  listListings,
  listSellers,
  registerListing as registerRoute,
  type Seller,
} from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { page, pageOf } from '../../../http/paging.ts'
import type { Serve } from '../../../http/serve.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { type Clock, HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { actorOf, recordFacts } from '../../../operations/facts.ts'
import { findOrigins, normaliseOrigin, requireAccess, requireAgentAccess } from '../../parties/index.ts'
import type { PayDocuments } from './document.ts'
import { endedFact, registeredFact } from './facts.ts'
import {
  deleteListing,
  putListing,
  type StoredListing,
  selectListing,
  selectListings,
  selectSellers,
} from './store.ts'

export interface DiscoveryContext {
  readonly database: Database
  readonly vault: Vault
  readonly clock: Clock
  readonly mode: 'sandbox' | 'live'
  readonly documents: PayDocuments
}

/** How often a document is read. */
export const CHECKED_EVERY_MS = HOUR_MS

export function serveDiscovery(serve: Serve, context: DiscoveryContext): void {
  const { database } = context

  serve(registerRoute, ({ caller, params, body }) =>
    registerListing(context, caller, params.agent_id, body.origin),
  )

  serve(listListings, async ({ caller, params, query, now }) => {
    const request = pageOf(query)
    const { id } = await requireAccess(database, caller, params.agent_id)
    const { rows, total } = await selectListings(database, id, now, request)
    return page('listings', rows, listingRecord, total, request)
  })

  serve(deleteRoute, async ({ caller, params, now }) => {
    const { id: agentId, ownerId } = await requireAccess(database, caller, params.agent_id)
    const id = parseId('lst', params.listing_id)
    await database.inTransaction(async tx => {
      const origin = id === null ? null : await deleteListing(tx, { id, agentId })
      if (id === null || origin === null)
        throw new AppError('not_found', 'This agent has no listing with this id')
      const actor = actorOf(caller, ownerId)
      await recordFacts(tx, context.vault, now, [endedFact(actor, { id, agentId, origin }, 'removed')])
    })
    return { listing_id: params.listing_id, ended: true as const }
  })

  serve(listSellers, async ({ query, now }) => {
    const request = pageOf(query)
    const { rows, total } = await selectSellers(database, query.query ?? null, now, request)
    return page(
      'sellers',
      rows,
      ({ handle, ...found }): Seller => ({
        agent_id: formatId('agt', found.agentId),
        handle,
        ...sold(found),
      }),
      total,
      request,
    )
  })
}

/** Reads the document before anything is stored. Whether the agent is still active and names the origin, the list asks. */
async function registerListing(
  context: DiscoveryContext,
  caller: Caller,
  agentRef: string,
  written: string,
): Promise<Listing> {
  const { database, vault, clock, mode, documents } = context
  const { id: agentId, ownerId, handle, status } = await requireAgentAccess(database, caller, agentRef)
  if (status !== 'active') {
    throw new AppError('conflict', `The agent is ${status}, so nothing is listed for it`, {
      details: { status },
    })
  }
  const origin = normaliseOrigin(written, { allowsLoopback: mode === 'sandbox' })
  await requireOrigin(context, agentId, origin)
  assert(origin !== null, 'an origin of the agent is one')
  const read = await documents.read(origin, { agentId: formatId('agt', agentId), handle })
  if (read.kind === 'busy') {
    throw new AppError('service_unavailable', 'Too many documents are being read; try again in a few seconds')
  }
  if (read.kind === 'failed') throw new AppError('validation_error', read.why, { field: 'origin' })
  const { document } = read
  return database.inTransaction(async tx => {
    const now = clock.now()
    const dueAt = new Date(now.getTime() + CHECKED_EVERY_MS)
    const { id, isNew } = await putListing(tx, { agentId, origin, document }, { now, dueAt })
    const fact = registeredFact(actorOf(caller, ownerId), { id, agentId, origin })
    await recordFacts(tx, vault, now, isNew ? [fact] : [])
    const stored = await selectListing(tx, id, now)
    assert(stored !== null, 'the listing was just written')
    return listingRecord(stored)
  })
}

async function requireOrigin(
  { database, vault }: DiscoveryContext,
  agentId: Uuid,
  origin: string | null,
): Promise<void> {
  const origins = await findOrigins(database, vault, agentId)
  if (origin !== null && origins.includes(origin)) return
  const message =
    origins.length === 0
      ? 'The agent names no origins; set them first (PATCH /v1/agents/{agent_id})'
      : `This is none of the agent’s origins: ${origins.join(', ')}`
  throw new AppError('validation_error', message, { field: 'origin' })
}

function listingRecord(listing: StoredListing): Listing {
  return {
    listing_id: formatId('lst', listing.id),
    agent_id: formatId('agt', listing.agentId),
    ...sold(listing),
    created_at: listing.createdAt.toISOString(),
  }
}

type Sold = Pick<StoredListing, 'origin' | 'document' | 'checkedAt' | 'failingSince' | 'uptime'>

function sold({ origin, document, checkedAt, failingSince, uptime }: Sold) {
  return {
    origin,
    name: document.name,
    description: document.description ?? null,
    protocols: document.protocols as Seller['protocols'],
    routes: document.routes.map(({ method, path, description = null, price, buyers }) => ({
      ...{ method, path, description },
      price_from: price === undefined ? null : Number(price.from),
      price_to: price === undefined ? null : Number(price.to),
      buyer_tier: buyers?.tier ?? null,
      buyer_kyc: buyers?.kyc ?? null,
    })),
    checked_at: checkedAt.toISOString(),
    failing_since: failingSince?.toISOString() ?? null,
    // Three digits: the check of an hour is a thousandth of a month and a half.
    uptime: Math.round((uptime ?? 1) * 1_000) / 1_000,
  }
}
