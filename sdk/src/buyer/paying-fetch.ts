import { type Client, credentialOf } from '../client/client.ts'
import { remembered } from '../client/timeouts.ts'
import { rupeesText } from '../protocol/amount.ts'
import { decodeChallenge } from '../protocol/headers.ts'
import { CHALLENGE_HEADER } from '../protocol/messages.ts'
import { type Buyer, REAL_TIME, type Time } from './buyer.ts'
import { buyerJournal } from './buyer-journal.ts'
import { paymentOf } from './call-payments.ts'
import { type CallerRequest, callerRequest, isBodiless } from './caller-request.ts'
import { createFindPayee, decideSeller } from './check-seller.ts'
import { completePurchase } from './complete-purchase.ts'
import { type ChallengeFacts, decideChallenge, type Order } from './decide-challenge.ts'
import { discard } from './discard.ts'
import {
  askApproval,
  ensurePayment,
  findPayment,
  type PaymentState,
  type PurchaseInProgress,
} from './ensure-payment.ts'
import { invalidAnswer } from './invalid-answer.ts'
import type { Purchase } from './journal.ts'
import type { PayingFetchOptions } from './options.ts'
import { PurchaseError } from './purchase-error.ts'
import { memoryJournal } from './stored-journal.ts'
import { HOUR_MS, hostOf, limitsFor, originOf, termsOf } from './terms.ts'

export { paymentOf }

/** A payment that is still unknown so long after the last try is abandoned. */
const LOST_AFTER_MS = 600_000

/**
 * A `fetch` that pays: after a 402 with `X-SERVICE-PAY` it pays within the given limits and repeats the request with
 * the proof (interface section 4, Pay-per-call). Other responses pass through unchanged. It throws what `fetch`
 * throws, a `PurchaseError` if something must not be bought or was not served, and a `BatuaError` if the service
 * refused or did not respond. After a payment, `paymentOf` returns the payment of any thrown error. The journal
 * records each purchase before money moves: the same call (method, address and body) continues it and does not pay
 * again; for this, bodies are copied. Throws a TypeError or RangeError for invalid options. A paid request is
 * redirected only within its origin. In browsers, which do not reveal the target of a redirect, it is not redirected;
 * and there a seller of another origin has to expose `X-SERVICE-PAY`.
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
  return fetchOf(openBuyer(options, time), fetch)
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
  return { client, agentKey, journal: buyerJournal(journal), time, agentId, findPayee, terms }
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
  if (typeof agentId !== 'string') throw invalidAnswer('agent_id')
  return agentId
}

/** Completes what the same call started earlier; null if there is nothing to complete. */
async function goOn(buyer: Buyer, request: CallerRequest): Promise<Response | null> {
  if (request.key === null) return null
  const purchase = await buyer.journal.resume(request.key)
  if (purchase === null) return null
  const sale: PurchaseInProgress = { purchase, url: request.url, signal: request.signal, isResumed: true }
  try {
    const settlement = await settlementSoFar(buyer, request, sale)
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

/** The state of an unfinished purchase's payment; null if it was not made and is abandoned. */
async function settlementSoFar(
  buyer: Buyer,
  request: CallerRequest,
  sale: PurchaseInProgress,
): Promise<PaymentState | null> {
  const { id, paymentId, approvalId = null, startedAt, triedAt } = sale.purchase
  if (paymentId !== null) return { kind: 'paid', paymentId }
  if (approvalId !== null) {
    return buyer.terms.approval === 'wait'
      ? { kind: 'waiting', approvalId }
      : askApproval(buyer, sale, approvalId)
  }
  const found = await findPayment(buyer, sale)
  if (found !== null) return found
  if (buyer.time.now() - (triedAt ?? startedAt) < LOST_AFTER_MS) {
    // The buyer that started it may allow more than this one.
    return isAgreeable(buyer, request, sale) ? ensurePayment(buyer, sale) : null
  }
  await buyer.journal.finish(id, { state: 'lost' })
  return null
}

function isAgreeable({ terms }: Buyer, { url }: CallerRequest, { purchase }: PurchaseInProgress): boolean {
  const { payTo, amountPaise, nonce } = purchase
  const challenge = { payTo, amount: rupeesText(amountPaise), asset: 'INR', nonce } as const
  const facts = { challenge, askedUrl: url, answeredUrl: url, isBodyRepeatable: true, terms }
  return decideChallenge(facts).kind === 'order'
}

/** Makes a request and pays for it if required. */
async function buy(buyer: Buyer, request: CallerRequest): Promise<Response> {
  const answer = await request.send()
  const header = answer.status === 402 ? answer.headers.get(CHALLENGE_HEADER) : null
  if (header === null) return answer

  const facts: ChallengeFacts = {
    challenge: decodeChallenge(header),
    askedUrl: request.url,
    answeredUrl: answer.url === '' ? request.url : new URL(answer.url),
    isBodyRepeatable: request.key !== null,
    terms: buyer.terms,
  }
  const order = decideChallenge(facts)
  if (order.kind === 'refusal') throw refused(request, answer, order, facts.challenge?.nonce)

  const { signal } = request
  // Requested before anything is recorded, so that a failure leaves nothing to complete.
  const [payeeId] = await Promise.all([checkSeller(buyer, request, order, answer), buyer.agentId(signal)])
  const purchase = await begin(buyer, request, { ...order, payeeId }, answer)
  const url = isBodiless(request.hop.method) ? facts.answeredUrl : request.url
  const sale: PurchaseInProgress = { purchase, url, signal, isResumed: false }
  // Only a caller that does not wait for approvals may get the 402.
  const unpaid = buyer.terms.approval === 'return' ? answer : null
  // A moment later, so that the payment leaves first.
  if (unpaid === null) setTimeout(() => discard(answer))
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
  { findPayee, journal, terms }: Buyer,
  request: CallerRequest,
  { payTo, nonce }: Order,
  answer: Response,
): Promise<string | null> {
  if (!terms.checksSellers) return null
  const payee = await findPayee(payTo, request.signal)
  if (payee === null) return null
  if ('kind' in payee) throw refused(request, answer, payee, nonce)
  const host = hostOf(request.url)
  const pinned = await journal.payeeOf(host)
  const refusal = decideSeller({ payTo, payee, origin: originOf(request.url), host, pinned })
  if (refusal !== null) throw refused(request, answer, refusal, nonce)
  return payee.agentId
}

async function begin(
  { journal, terms, time }: Buyer,
  request: CallerRequest,
  { payTo, payeeId, amountPaise, nonce }: Order & { readonly payeeId: string | null },
  answer: Response,
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
  }
  const exceeded = await journal.begin(purchase, limitsFor(terms.budgets, host))
  if (exceeded === null) return purchase
  const per = exceeded.windowMs > HOUR_MS ? 'a day' : 'an hour'
  const at = exceeded.host === null ? '' : ` at ${exceeded.host}`
  const message = `With ${rupeesText(amountPaise)} INR more, the budget of ${rupeesText(exceeded.limitPaise)} INR ${per}${at} would be exceeded`
  throw refused(request, answer, { code: 'budget_exceeded', message }, nonce)
}

function refused(
  { url }: CallerRequest,
  response: Response,
  { code, message }: Pick<PurchaseError, 'code' | 'message'>,
  nonce: string | undefined,
): PurchaseError {
  return new PurchaseError({ code, message, url: url.href, nonce: nonce ?? null, response })
}
