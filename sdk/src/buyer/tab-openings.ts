import type { AuthorizationCreated, AuthorizationWaiting } from '../api/types.ts'
import { isBatuaError } from '../client/errors.ts'
import { items } from '../client/paging.ts'
import { within } from '../client/timeouts.ts'
import { rupeesNumber } from '../protocol/amount.ts'
import { ed25519, type SigningKey } from '../protocol/ed25519.ts'
import type { Buyer } from './buyer.ts'
import type { BuyerTab } from './buyer-tab.ts'
import { findSeller, isRefusal } from './check-seller.ts'
import type { Order } from './decide-challenge.ts'
import type { Purchase } from './journal.ts'
import { sha256 } from './sha-256.ts'
import { HOUR_MS, limitsFor, type TabTerms } from './terms.ts'

/** A seller that takes vouchers. */
export type TabOrder = Order & {
  readonly payeeId: string | null
  readonly origin: string
  readonly host: string
}

/** The open authorizations of a buyer. */
export interface OpenTabs {
  /** How many there are at a host. */
  openAt(host: string): number
  add(tab: BuyerTab): void
}

/** Opens an authorization to a seller; null: pay each call separately. Concurrent calls to one seller share one. */
export type OpenTab = (order: TabOrder, signal: AbortSignal | undefined) => Promise<BuyerTab | null>

/** For how long an authorization is open. The money of one that a killed process left open returns after this time. */
const EXPIRES_IN_S = 3_600
/** The pause before another authorization is requested, after a refusal (such as a limit) or a failure. */
const REFUSED_FOR_MS = 10 * 60_000
const FAILED_FOR_MS = 30_000
/** The owner has a day to approve. */
const APPROVAL_MS = 24 * HOUR_MS
const APPROVAL_ASKED_EVERY_MS = 10_000
const PAGE = 100

/** An authorization that is being opened. */
interface Opening {
  readonly host: string
  readonly tab: Promise<BuyerTab | null>
}

interface Draft {
  readonly order: TabOrder
  readonly purchase: Purchase
  readonly key: SigningKey
}

interface WaitingDraft extends Draft {
  readonly approvalId: string
}

export function createTabOpening(buyer: Buyer, terms: TabTerms, open: OpenTabs): OpenTab {
  const running = new Map<string, Opening>()
  const { openOne, waiting, isPaused } = createOpener(buyer, terms, open)

  /** Counted before the request is sent: a concurrent call must not open one too many. */
  function start(key: string, order: TabOrder): Promise<BuyerTab | null> {
    const tab = openOne(key, order).finally(() => running.delete(key))
    running.set(key, { host: order.host, tab })
    return tab
  }

  /** The outcomes of authorizations to other payees at a host, which no call may use any more. */
  function askWaiting(host: string): void {
    for (const [key, { order }] of waiting) {
      if (order.host === host && !running.has(key) && !isPaused(key)) void start(key, order)
    }
  }

  /** null: no more may be opened at this host. */
  function openingOf(key: string, order: TabOrder): Promise<BuyerTab | null> | null {
    const begun = running.get(key)
    if (begun !== undefined) return begun.tab
    if (waiting.has(key) || open.openAt(order.host) + countAt(order.host, running, waiting) < terms.perHost)
      return start(key, order)
    askWaiting(order.host)
    return null
  }

  return async (order, signal) => {
    const key = `${order.origin} ${order.payTo}`
    const opening = isPaused(key) ? null : openingOf(key, order)
    if (opening === null || signal === undefined) return opening
    return within(Number.POSITIVE_INFINITY, signal, () => opening)
  }
}

function createOpener(buyer: Buyer, terms: TabTerms, open: OpenTabs) {
  const { time } = buyer
  const notBefore = new Map<string, number>()
  const waiting = new Map<string, WaitingDraft>()
  const tidied = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()

  /** Never throws: a buyer that cannot authorize pays each call separately. */
  async function openOne(key: string, order: TabOrder): Promise<BuyerTab | null> {
    const pauseFor = (ms: number) => notBefore.set(key, time.now() + ms)
    try {
      const waits = waiting.get(key)
      if (waits !== undefined) {
        const authorization = await approved(buyer, waits.approvalId)
        if (authorization === null) pauseFor(APPROVAL_ASKED_EVERY_MS)
        else waiting.delete(key)
        if (authorization === null) return null
        if (authorization !== 'refused') return await added(waits, authorization)
        pauseFor(REFUSED_FOR_MS)
        await buyer.journal.finish(waits.purchase.id, { state: 'unpaid', paymentId: null })
        return null
      }
      if (await isForAnotherPayee(buyer, order)) return null
      const requestKey = await journalKeyOf(buyer, order)
      if (!tidied.has(key)) {
        tidied.add(key)
        void closeLeftovers(buyer, requestKey)
      }
      const draft = await drafted(buyer, terms, order, requestKey)
      if (draft === null) pauseFor(FAILED_FOR_MS)
      if (draft === null) return null
      const made = await authorize(buyer, terms, draft)
      if (made === null) pauseFor(REFUSED_FOR_MS)
      if (made === null) return null
      if (made.status !== 'pending_approval') return await added(draft, made)
      const spentUntil = time.now() + APPROVAL_MS + EXPIRES_IN_S * 1_000
      await buyer.journal.update(draft.purchase.id, { state: 'paying', spentUntil })
      waiting.set(key, { ...draft, approvalId: made.approval_id })
      pauseFor(APPROVAL_ASKED_EVERY_MS)
    } catch {
      pauseFor(FAILED_FOR_MS)
    }
    return null
  }

  /** One at a time: of two payees that are paid at a host for the first time, one is pinned. */
  async function added(draft: Draft, authorization: AuthorizationCreated): Promise<BuyerTab> {
    const adding = last.then(() => tabOf(buyer, terms, draft, authorization))
    last = adding.catch(() => {})
    const tab = await adding
    open.add(tab)
    return tab
  }

  return {
    openOne,
    /** The authorizations that wait for an approval. */
    waiting: waiting as ReadonlyMap<string, WaitingDraft>,
    isPaused: (key: string) => time.now() < (notBefore.get(key) ?? Number.NEGATIVE_INFINITY),
  }
}

/** How many are being opened at a host, or wait for approval. */
function countAt(
  host: string,
  running: ReadonlyMap<string, Opening>,
  waiting: ReadonlyMap<string, WaitingDraft>,
): number {
  const begun = new Map([...waiting].map(([key, { order }]) => [key, order.host]))
  for (const [key, opening] of running) begun.set(key, opening.host)
  return [...begun.values()].filter(each => each === host).length
}

/** Registers an authorization that was opened. The payee is pinned before the first voucher. */
async function tabOf(
  buyer: Buyer,
  { amountPaise }: TabTerms,
  { order, purchase, key }: Draft,
  { authorization_id, token, expires_at, created_at }: AuthorizationCreated,
): Promise<BuyerTab> {
  const { journal, time } = buyer
  const { origin, host, payTo, payeeId } = order
  // One for which another payee was paid here meanwhile is only closed.
  const isRetired = await isForAnotherPayee(buyer, order).catch(() => true)
  if (payeeId !== null && !isRetired) await journal.pin(host, payeeId)
  // Only the duration is taken from the service, because its clock may differ.
  const expiresAt = time.now() + Date.parse(expires_at) - Date.parse(created_at)
  await journal.update(purchase.id, { state: 'paid', paymentId: authorization_id, spentUntil: expiresAt })
  return {
    ...{ authorizationId: authorization_id, purchaseId: purchase.id, token, key, origin, host, payTo },
    ...{ amountPaise, expiresAt, lastUsedAt: time.now() },
    ...{ countedPaise: 0n, openPaise: 0n, openCalls: 0, signedPaise: 0n, nonces: [], refusals: 0 },
    isRetired,
  }
}

/** Whether another payee was paid at this host since the price was checked, by another call. */
async function isForAnotherPayee(buyer: Buyer, { payTo, payeeId, origin, host }: TabOrder): Promise<boolean> {
  return payeeId !== null && isRefusal(await findSeller(buyer, { payTo, origin, host }, undefined))
}

/** The same buyer's authorizations to the same seller, whichever process opened them. */
function journalKeyOf({ agentKey }: Buyer, { origin, payTo }: TabOrder): Promise<string> {
  return sha256(JSON.stringify([agentKey, 'vouchers', origin, payTo]))
}

/** Records the whole amount before money is set aside; null: a budget does not allow it. */
async function drafted(
  { journal, terms: { budgets }, time }: Buyer,
  { amountPaise }: TabTerms,
  order: TabOrder,
  requestKey: string,
): Promise<Draft | null> {
  const { payTo, payeeId, host } = order
  const id = crypto.randomUUID()
  const purchase: Purchase = {
    ...{ id, requestKey, host, payTo, payeeId, amountPaise, nonce: `vouchers-${id}` },
    ...{ startedAt: time.now(), state: 'paying', paymentId: null },
  }
  const key = await ed25519.keyOf(crypto.getRandomValues(new Uint8Array(32)))
  if ((await journal.begin(purchase, limitsFor(budgets, host))) !== null) return null
  live.add(id)
  // No caller waits for the result, and a journal is closed only when no purchase is locked.
  await journal.release(id)
  return { order, purchase, key }
}

/** Entries of this process, which were not left by an earlier one. */
const live = new Set<string>()

/** null: the service refused. */
async function authorize(
  { client, agentId, journal, terms }: Buyer,
  { amountPaise }: TabTerms,
  { order, purchase, key }: Draft,
): Promise<AuthorizationCreated | AuthorizationWaiting | null> {
  const { context } = terms.payment
  try {
    return await client.authorize(
      {
        ...{ agent_id: await agentId(undefined), to: order.payTo, amount: rupeesNumber(amountPaise) },
        ...{ expires_in: EXPIRES_IN_S, reference: purchase.nonce, voucher_key: key.publicKey },
        ...(context === undefined ? {} : { context }),
      },
      { idempotencyKey: purchase.id },
    )
  } catch (error) {
    const isRefused =
      isBatuaError(error) && error.status !== null && error.status < 500 && error.status !== 429
    live.delete(purchase.id)
    // Otherwise the authorization may exist: a later process searches for it.
    if (isRefused) await journal.finish(purchase.id, { state: 'unpaid', paymentId: null })
    if (!isRefused) throw error
    return null
  }
}

/** The authorization that an owner has approved; null: she has not decided. */
async function approved(
  { client }: Buyer,
  approvalId: string,
): Promise<AuthorizationCreated | 'refused' | null> {
  const { status, authorization_id } = await client.getApproval({ approval_id: approvalId })
  if (status === 'pending_approval') return null
  if (typeof authorization_id !== 'string') return 'refused'
  return client.getAuthorization({ authorization_id })
}

/** Closes an authorization, so that the rest comes back once the seller has captured; false if that failed. */
export async function closeTab({ client, journal }: Buyer, tab: BuyerTab): Promise<boolean> {
  const { authorizationId, purchaseId, signedPaise: amountPaise, lastUsedAt: spentUntil } = tab
  try {
    await client.closeAuthorization({ authorization_id: authorizationId })
  } catch (error) {
    if (!isBatuaError(error) || (error.code !== 'conflict' && error.code !== 'not_found')) return false
  }
  // The seller can capture no more than was signed.
  await journal.finish(purchaseId, {
    ...{ state: 'served', paymentId: authorizationId, amountPaise, spentUntil },
  })
  live.delete(purchaseId)
  return true
}

/** Closes what earlier processes left open: their keys are gone, so nothing more can be spent of it. Never throws. */
async function closeLeftovers(buyer: Buyer, requestKey: string): Promise<void> {
  const { client, journal, time } = buyer
  const looked: string[] = []
  try {
    for (;;) {
      const purchase = await journal.resume(requestKey)
      if (purchase === null) return
      // Locked until all are closed, so that the journal returns each once.
      looked.push(purchase.id)
      if (!live.has(purchase.id)) await closeLeftover(buyer, purchase)
    }
  } catch {
    // A later process tries again, and without one it expires.
  } finally {
    for (const id of looked) await journal.release(id)
  }

  async function closeLeftover({ agentId }: Buyer, purchase: Purchase): Promise<void> {
    const { id, paymentId, nonce, startedAt } = purchase
    const authorizationId = paymentId ?? (await find(await agentId(undefined), nonce))
    if (authorizationId !== null) {
      await client.closeAuthorization({ authorization_id: authorizationId }).catch((error: unknown) => {
        if (!isBatuaError(error) || error.code !== 'conflict') throw error
      })
    }
    // The signed amount and its time are unknown, so the whole amount counts in budgets.
    const state = authorizationId === null ? 'lost' : 'served'
    const spentUntil = Math.min(purchase.spentUntil ?? startedAt, time.now())
    await journal.finish(id, { state, paymentId: authorizationId, spentUntil })
  }

  async function find(agent_id: string, reference: string): Promise<string | null> {
    for await (const each of items(client.listAuthorizations, { agent_id, status: 'open', limit: PAGE })) {
      if (each.reference === reference) return each.authorization_id
    }
    return null
  }
}
