import { type Client, credentialOf } from '../client/client.ts'
import { remembered } from '../client/timeouts.ts'
import { rupeesText } from '../protocol/amount.ts'
import { decodeChallenge } from '../protocol/headers.ts'
import { CHALLENGE_HEADER } from '../protocol/messages.ts'
import { type Buyer, REAL_TIME, type Time } from './buyer.ts'
import { buyerJournal } from './buyer-journal.ts'
import { paymentOf } from './call-payments.ts'
import { type CallerRequest, callerRequest, type Hop, isBodiless } from './caller-request.ts'
import { createFindPayee, findSeller, isRefusal } from './check-seller.ts'
import { completePurchase } from './complete-purchase.ts'
import { type ChallengeFacts, decideChallenge, type Order } from './decide-challenge.ts'
import { discard } from './discard.ts'
import {
  askApproval,
  ensurePayment,
  findPayment,
  isSetAside,
  type PaymentState,
  type PurchaseInProgress,
} from './ensure-payment.ts'
import { setAsideTermsOf, speaking } from './foreign-sellers.ts'
import { invalidResponse } from './invalid-response.ts'
import type { Purchase } from './journal.ts'

import { askAsKnown, createBuyerIdentity, knownIfAsked } from './known-buyer.ts'

import { mppSellers } from './mpp-sellers.ts'

import type { PayingFetchOptions } from './options.ts'
import { ownServiceOf } from './own-service.ts'
import { PurchaseError } from './purchase-error.ts'
import { readSetAside } from './set-aside.ts'
import { memoryJournal } from './stored-journal.ts'
import { createBuyerTabs } from './tabs.ts'
import { HOUR_MS, hostOf, limitsFor, originOf, tabTermsOf, termsOf } from './terms.ts'
import { voucherSecretOf } from './voucher-key.ts'
import { x402Sellers } from './x402-sellers.ts'

export { paymentOf }

/** A payment whose outcome is still unknown this long after the last try is abandoned. */
const LOST_AFTER_MS = 600_000

/**
 * A `fetch` that pays: after a 402 with `X-SERVICE-PAY` it pays within the given limits and repeats the request with
 * the proof (interface section 4, Pay-per-call); likewise after a 402 of x402 or MPP whose price is rupees of this
 * service. Other responses pass through unchanged. It throws what `fetch` throws, a `PurchaseError` if something must
 * not be bought or was not served, and a `BatuaError` if the service refused or did not respond. After a payment,
 * `paymentOf` returns the payment of any thrown error. The journal records each purchase before money moves: the same
 * call (method, address and body) continues it and does not pay again; for this, bodies are copied. Throws a TypeError
 * or RangeError for invalid options. A paid request is redirected only within its origin. In browsers, which do not
 * reveal the target of a redirect, it is not redirected; and there a seller of another origin has to expose
 * `X-SERVICE-PAY`.
 */
export function payingFetch(
  fetch: typeof globalThis.fetch,
  options: PayingFetchOptions,
): typeof globalThis.fetch {
  return createPayingFetch(fetch, options, REAL_TIME)
}

/** @internal The same with the time passed in. */
export function createPayingFetch(
  fetch: typeof globalThis.fetch,
  options: PayingFetchOptions,
  time: Time,
): typeof globalThis.fetch {
  if (typeof fetch !== 'function') throw new TypeError('A paying fetch needs a fetch for its requests')
  const isOwnService = ownServiceOf(options)
  const speakingX402 = speaking(fetch, x402Sellers(isOwnService))
  const tabTerms = tabTermsOf(options)
  const buyer = openBuyer(options, time)
  const speakingAll = speaking(speakingX402, mppSellers(isOwnService, voucherSecretOf(buyer)))
  const tabs = tabTerms && createBuyerTabs(buyer, tabTerms, fetch)
  const paying = fetchOf({ ...buyer, tabs }, speakingAll)
  if (tabs !== null) closers.set(paying, () => tabs.close())
  return paying
}

const closers = new WeakMap<typeof globalThis.fetch, () => Promise<void>>()

/**
 * Closes the authorizations that a paying fetch with `tab` has open and no call uses, so that what was not spent comes
 * back. Without this they are closed when they are idle, or when the program comes to its end by itself. Never throws.
 */
export async function closeTabs(fetch: typeof globalThis.fetch): Promise<void> {
  await closers.get(fetch)?.()
}

/** @internal A buyer with these options; throws a TypeError or RangeError if they are invalid. */
export function openBuyer(options: PayingFetchOptions, time: Time): Buyer {
  const terms = termsOf(options)
  const { client, journal = memoryJournal() } = options
  if (typeof journal.resume !== 'function')
    throw new TypeError('The journal is none; a file’s is what `await fileJournal(path)` gives')
  const { agentKey } = credentialOf(client)
  if (agentKey === undefined) throw new TypeError('The client has no agentKey')
  const agentId = remembered(() => agentIdOf(client))
  const findPayee = createFindPayee(client, () => time.now())
  const identity = createBuyerIdentity(options, () => time.now())
  return {
    ...{ client, agentKey, journal: buyerJournal(journal), time, agentId, findPayee, terms, identity },
    tabs: null,
  }
}

/** @internal The `fetch` of a buyer, which sends its requests with another one. */
export function fetchOf(buyer: Buyer, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const request = await callerRequest(fetch, buyer.agentKey, input, init)
    if (request === null) return fetch(input, init)
    return (await goOn(buyer, request)) ?? buy(buyer, request)
  }
}

async function agentIdOf(client: Client): Promise<string> {
  const { agent_id: agentId } = await client.getCurrentAgent()
  if (typeof agentId !== 'string') throw invalidResponse('agent_id')
  return agentId
}

/** Completes what the same call started earlier; null if there is nothing to complete. */
async function goOn(buyer: Buyer, request: CallerRequest): Promise<Response | null> {
  if (request.key === null) return null
  const purchase = await buyer.journal.resume(request.key)
  if (purchase === null) return null
  const sale: PurchaseInProgress = { purchase, url: request.url, signal: request.signal, isResumed: true }
  try {
    const settlement = await settlementSoFar(buyer, sale, isAgreeable(buyer, request, sale))
    return settlement && (await completePurchase(buyer, request, sale, settlement, null))
  } catch (error) {
    if (!(error instanceof PurchaseError && error.refunded)) throw error
    // A seller that failed to serve has refunded the payment, so this call is a new purchase.
    if (error.response !== null) discard(error.response)
    return null
  } finally {
    await buyer.journal.release(purchase.id)
  }
}

/**
 * @internal The state of an unfinished purchase's payment; null if it was not made and is abandoned. A payment that may
 * still be made is made if it is agreeable: the buyer that started it may have allowed more than this one.
 */
export async function settlementSoFar(
  buyer: Buyer,
  sale: PurchaseInProgress,
  mayPay: boolean,
): Promise<PaymentState | null> {
  const { id, paymentId, approvalId = null, startedAt, triedAt } = sale.purchase
  if (paymentId !== null && isSetAside(sale.purchase)) {
    const { token, isGivenBack } = await readSetAside(buyer, sale, paymentId)
    if (!isGivenBack) return { kind: 'paid', paymentId, receipt: token }
    // The seller's handler failed, or the purchase has expired: this call is a new purchase.
    await buyer.journal.finish(id, { state: 'refunded', paymentId })
    return null
  }
  if (paymentId !== null) return { kind: 'paid', paymentId }
  if (approvalId !== null) {
    return buyer.terms.approval === 'wait'
      ? { kind: 'waiting', approvalId }
      : askApproval(buyer, sale, approvalId)
  }
  const found = await findPayment(buyer, sale)
  if (found !== null) return found
  if (buyer.time.now() - (triedAt ?? startedAt) < LOST_AFTER_MS) {
    return mayPay ? ensurePayment(buyer, sale) : null
  }
  await buyer.journal.finish(id, { state: 'lost' })
  return null
}

function isAgreeable({ terms }: Buyer, { url }: CallerRequest, { purchase }: PurchaseInProgress): boolean {
  const { payTo, amountPaise, nonce } = purchase
  const challenge = { payTo, amount: rupeesText(amountPaise), asset: 'INR', nonce } as const
  const facts = { challenge, askedUrl: url, finalUrl: url, isBodyRepeatable: true, terms }
  return decideChallenge(facts).kind === 'order'
}

/** Sends a request and pays for it if required. */
async function buy(buyer: Buyer, asked: CallerRequest): Promise<Response> {
  const { tabs } = buyer
  let request = tabs === null ? asked : await knownIfAsked(buyer, asked)
  let response = (await tabs?.spend(request)) ?? null
  if (response === null) {
    request = asked
    response = await request.send()
  }
  for (let vouchers = 0; ; vouchers++) {
    const known = await askAsKnown(buyer, { request, response })
    request = known.request
    response = known.response
    const demand = await demandOf(buyer, request, response)
    if (demand === null) return response
    const { order, payeeId, facts } = demand
    const url = isBodiless(request.hop.method) ? facts.finalUrl : request.url
    const isLast = !order.takesVouchers || vouchers >= MAX_VOUCHERS
    const hop: Hop = { ...request.hop, url }
    const next = isLast ? null : ((await tabs?.pay(request, hop, { ...order, payeeId })) ?? null)
    if (next === null) {
      // Another call may have paid another payee here meanwhile.
      if (!isLast) await checkSeller(buyer, request, order, response)
      return buySingly(buyer, request, { order: { ...order, payeeId }, url, response })
    }
    discard(response)
    response = next
  }
}

/** How many vouchers are tried for one call while the seller responds with 402, before a payment of its own is made. */
const MAX_VOUCHERS = 3

interface Demand {
  readonly order: Order
  readonly payeeId: string | null
  readonly facts: ChallengeFacts
}

/** What a 402 asks for, if that may be bought; null: it asks for nothing that is known here. */
async function demandOf(buyer: Buyer, request: CallerRequest, response: Response): Promise<Demand | null> {
  const header = response.status === 402 ? response.headers.get(CHALLENGE_HEADER) : null
  if (header === null) return null
  const facts: ChallengeFacts = {
    challenge: decodeChallenge(header),
    askedUrl: request.url,
    finalUrl: response.url === '' ? request.url : new URL(response.url),
    isBodyRepeatable: request.key !== null,
    terms: buyer.terms,
  }
  const order = decideChallenge(facts)
  if (order.kind === 'refusal') throw refused(request, response, order, facts.challenge?.nonce)
  const { signal } = request
  // Requested before anything is recorded, so that a failure leaves nothing to complete.
  const [payeeId] = await Promise.all([checkSeller(buyer, request, order, response), buyer.agentId(signal)])
  return { order, payeeId, facts }
}

interface SingleSale {
  readonly order: Order & { readonly payeeId: string | null }
  readonly url: URL
  /** The 402. */
  readonly response: Response
}

/** Makes a payment for one call. */
async function buySingly(
  buyer: Buyer,
  request: CallerRequest,
  { order, url, response }: SingleSale,
): Promise<Response> {
  const { signal } = request
  const purchase = await begin(buyer, request, order, response)
  const sale: PurchaseInProgress = { purchase, url, signal, isResumed: false }
  // Only a caller that does not wait for approvals may get the 402.
  const unpaid = buyer.terms.approval === 'return' ? response : null
  // Deferred, so that the payment is sent first.
  if (unpaid === null) setTimeout(() => discard(response))
  try {
    return await completePurchase(buyer, request, sale, await ensurePayment(buyer, sale), unpaid)
  } catch (error) {
    if (unpaid !== null) discard(unpaid)
    throw error
  } finally {
    await buyer.journal.release(purchase.id)
  }
}

/** The payee, and whether it sells here; null if origins are not checked or the service knows no such payee. */
async function checkSeller(
  buyer: Buyer,
  request: CallerRequest,
  { payTo, nonce }: Order,
  response: Response,
): Promise<string | null> {
  const place = { payTo, origin: originOf(request.url), host: hostOf(request.url) }
  const found = await findSeller(buyer, place, request.signal)
  if (isRefusal(found)) throw refused(request, response, found, nonce)
  return found
}

async function begin(
  { journal, terms, time }: Buyer,
  request: CallerRequest,
  { payTo, payeeId, amountPaise, nonce }: Order & Required<Pick<Purchase, 'payeeId'>>,
  response: Response,
): Promise<Purchase> {
  const host = hostOf(request.url)
  const purchase: Purchase = {
    id: crypto.randomUUID(),
    requestKey: request.key ?? '',
    host,
    payTo,
    payeeId,
    amountPaise,
    nonce,
    startedAt: time.now(),
    state: 'paying',
    paymentId: null,
    ...setAsideTermsOf(response),
  }
  const exceeded = await journal.begin(purchase, limitsFor(terms.budgets, host))
  if (exceeded === null) return purchase
  const per = exceeded.windowMs > HOUR_MS ? 'a day' : 'an hour'
  const at = exceeded.host === null ? '' : ` at ${exceeded.host}`
  const message = `With ${rupeesText(amountPaise)} INR more, the budget of ${rupeesText(exceeded.limitPaise)} INR ${per}${at} would be exceeded`
  throw refused(request, response, { code: 'budget_exceeded', message }, nonce)
}

function refused(
  { url }: CallerRequest,
  response: Response,
  { code, message }: Pick<PurchaseError, 'code' | 'message'>,
  nonce: string | undefined,
): PurchaseError {
  return new PurchaseError({ code, message, url: url.href, nonce: nonce ?? null, response })
}
