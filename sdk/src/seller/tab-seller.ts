import { isBatuaError } from '../client/errors.ts'
import { within } from '../client/timeouts.ts'
import { type Paise, paiseFromRupees, rupeesText } from '../protocol/amount.ts'
import { base64UrlFromBytes, bytesFromBase64 } from '../protocol/base64.ts'
import { encodeChallenge } from '../protocol/headers.ts'
import { CHALLENGE_HEADER, isServed, TOTAL_HEADER, type VoucherProof } from '../protocol/messages.ts'
import { isSignedBy, readVoucher } from '../protocol/vouchers.ts'
import { type AuthorizationTerms, createAuthorizationCheck } from './check-authorization.ts'
import type { SellerContext } from './context.ts'
import { type Deadline, deadlineIn } from './deadline.ts'
import { decideAge } from './decide.ts'
import { issuedAtOf, newVoucherNonce, type Quote } from './nonce.ts'
import type { Accepted, RefusalReason, SellerOptions } from './options.ts'
import { unavailableResponse } from './responses.ts'
import {
  type CallRef,
  countedPaise,
  finishCall,
  noteResponse,
  type Tab,
  takeCall,
  type VoucherCall,
  withTab,
} from './tab.ts'
import { capturesOf, type TabCaptures, type TabSettings } from './tab-captures.ts'
import { RECHECK_MS } from './tab-queues.ts'
import type { AskedAuthorization } from './tab-service.ts'
import type { TabStore } from './tab-store.ts'

export type VoucherOutcome =
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly total: string | null }
  /** The service or the store gave no result, or the buyer owes too much. The voucher stays valid. */
  | { readonly kind: 'no_response'; readonly retryAfterMs: number | null }
  | (Accepted & { readonly kind: 'taken' })

/** The part of a seller that takes vouchers. */
export interface TabSeller {
  /** Whether a price can be paid by vouchers now. Never throws. */
  offers(amountPaise: Paise): Promise<boolean>
  /** Takes a voucher for a call, and counts it. Never throws. */
  accept(proof: VoucherProof, quote: Quote): Promise<VoucherOutcome>
}

const DEFAULTS = { maxOutstanding: 10, captureEveryMs: 60_000, captureAbove: 5 } as const
/** A buyer that owes less cannot be captured from, so this much room is left. */
const UNCAPTURABLE_PAISE = 100n
const MAX_TIMER_MS = 2 ** 31 - 1
/** After a failure to open the store, it is tried again after this time. */
const REOPEN_AFTER_MS = 10_000
/** For this long the service is not asked again about an authorization that was refused or has had no call. */
const REFUSED_FOR_MS = 60_000
const OPEN_FOR_MS = 10_000
const MAX_RESPONSES = 10_000

/** Throws a TypeError or RangeError for an invalid option. */
export function createTabSeller(
  {
    client,
    tab,
  }: Pick<SellerOptions<never>, 'client'> & { readonly tab: NonNullable<SellerOptions<never>['tab']> },
  context: SellerContext,
): TabSeller {
  const { store, maxOutstanding, captureEveryMs, captureAbove } = { ...DEFAULTS, ...tab }
  if (typeof store?.write !== 'function')
    throw new TypeError('tab needs a store; a file’s is what `await fileTabStore(path)` gives')
  const maxOutstandingPaise = paiseFromRupees(maxOutstanding)
  if (maxOutstandingPaise <= UNCAPTURABLE_PAISE)
    throw new RangeError('maxOutstanding is above 1 INR, the least that can be captured')
  if (!(captureEveryMs > 0 && captureEveryMs <= MAX_TIMER_MS))
    throw new RangeError(`captureEveryMs must be above 0 and at most ${MAX_TIMER_MS}`)
  const { now } = context.surroundings
  const captureAbovePaise = paiseFromRupees(captureAbove)
  const settings = {
    ...{ client, captureEveryMs, now, onError: context.onError },
    captureAbovePaise: captureAbovePaise > UNCAPTURABLE_PAISE ? captureAbovePaise : UNCAPTURABLE_PAISE,
  }
  const captures = capturesWhenNeeded(context, store, settings)
  const check = createAuthorizationCheck(context.serviceKeys)
  const taking: Taking = { context, maxOutstandingPaise, responses: new Map() }
  // At once, not at the first request: calls that an earlier process served are captured even without new requests.
  void captures.opened(deadlineIn(context.verifyTimeoutMs)).catch(() => {})

  return {
    async offers(amountPaise) {
      if (amountPaise === 0n || amountPaise > maxOutstandingPaise - UNCAPTURABLE_PAISE) return false
      if (captures.hasFailedLately()) return false
      try {
        const { isBehind } = await captures.opened(deadlineIn(context.verifyTimeoutMs))
        // A call that is served then might be captured too late.
        return !isBehind()
      } catch {
        return false
      }
    },
    async accept(proof, quote) {
      const deadline = deadlineIn(context.verifyTimeoutMs)
      try {
        const ready = await captures.opened(deadline)
        const finding = await check(proof.authorization, deadline)
        if (finding.kind === 'later') return { kind: 'no_response', retryAfterMs: finding.retryAfterMs }
        if (finding.kind === 'not_genuine') return refusedAs('authorization_not_genuine')
        return await takeVoucher(taking, { captures: ready, terms: finding.terms, proof, quote, deadline })
      } catch (error) {
        context.onError(error)
        return { kind: 'no_response', retryAfterMs: isBatuaError(error) ? error.retryAfterMs : null }
      }
    },
  }
}

interface Taking {
  readonly context: SellerContext
  readonly maxOutstandingPaise: Paise
  /** By the authorization's id. */
  readonly responses: Map<string, Reply & { readonly until: number }>
}

/** The captures of the payee, opened at the first need. */
interface OpenedCaptures {
  /** Callers at the same time share one opening, whose failure is reported once. */
  opened(deadline: Deadline): Promise<TabCaptures>
  hasFailedLately(): boolean
}

function capturesWhenNeeded(context: SellerContext, store: TabStore, settings: TabSettings): OpenedCaptures {
  const { now } = settings
  let failedAt = Number.NEGATIVE_INFINITY
  let opened: TabCaptures | null = null
  let opening: Promise<TabCaptures> | null = null

  async function open(): Promise<TabCaptures> {
    const { signal } = deadlineIn(context.verifyTimeoutMs)
    try {
      const { agent_id: payeeId } = await context.agent(signal)
      opened = await within(Infinity, signal, () => capturesOf(store, payeeId, settings))
      return opened
    } catch (error) {
      failedAt = now()
      context.onError(error)
      throw error
    } finally {
      opening = null
    }
  }
  return {
    opened(deadline) {
      if (opened?.isClosed() === false) return Promise.resolve(opened)
      opening ??= open()
      const shared = opening
      return within(Infinity, deadline.signal, () => shared)
    },
    hasFailedLately: () => Math.abs(now() - failedAt) < REOPEN_AFTER_MS,
  }
}

/** The service's response about an authorization: open, or why not. */
type Reply =
  | { readonly reason: RefusalReason }
  | { readonly reason: null; readonly asked: AskedAuthorization }

interface Shown {
  readonly captures: TabCaptures
  readonly terms: AuthorizationTerms
  readonly proof: VoucherProof
  readonly quote: Quote
  readonly deadline: Deadline
}

async function takeVoucher(taking: Taking, shown: Shown): Promise<VoucherOutcome> {
  const { context, maxOutstandingPaise } = taking
  const { captures, terms, proof, quote, deadline } = shown
  const { authorizationId, payerId } = terms
  if (terms.payeeId !== captures.payeeId) return refusedAs('not_payee')
  if (payerId !== proof.fromAgent) return refusedAs('payer_mismatch')
  let tab = tabOf(captures, terms)
  const voucher = readVoucher(proof.voucher)
  if (voucher?.authorizationId !== authorizationId) return refusedAs('voucher_not_genuine', tab)
  if (voucher.nonce !== proof.nonce) return refusedAs('nonce_mismatch', tab)
  if (voucher.amountPaise > terms.amountPaise) return refusedAs('voucher_not_genuine', tab)
  const nonce = await decideNonce(context, proof.nonce, quote)
  if ('reason' in nonce) return refusedAs(nonce.reason, tab)
  if (!(await isSignedBy(terms.verify, voucher))) return refusedAs('voucher_not_genuine', tab)
  if (tab === undefined) {
    tab = await storedTab(shown)
    // No query is needed: no response gave out its nonce, or the voucher does not pay the price.
    if (tab === undefined && nonce.askedAt === null) return refusedAs('nonce_already_used')
    if (tab === undefined && voucher.amountPaise < quote.amountPaise) return refusedAs('insufficient_amount')
  }
  let asked: AskedAuthorization | null = null
  if (tab === undefined || !captures.isFresh(tab)) {
    const response = await askFirst(taking, shown, tab !== undefined)
    if (response.reason !== null) return refusedAs(response.reason, tab)
    asked = response.asked
  }
  const call: VoucherCall = {
    ...{ authorizationId, voucher: proof.voucher, voucherPaise: voucher.amountPaise },
    ...{ pricePaise: quote.amountPaise, nonce: proof.nonce, askedAt: nonce.askedAt },
    nextNonce: newVoucherNonce(new Uint8Array(context.surroundings.randomBytes(16))),
    now: context.surroundings.now(),
    maxOutstandingPaise,
  }
  for (;;) {
    const refusal = await takeNow(shown, call, asked)
    if (refusal === null) return takenCall(context, shown, call)
    if (refusal === 'unknown') return refusedAs('authorization_not_open', tab)
    if (refusal !== 'outstanding') return refusedAs(refusal, tabOf(captures, terms))
    // Either something can be captured, or calls in progress have to end first.
    if (!(await captures.room(payerId, deadline.signal)))
      return { kind: 'no_response', retryAfterMs: RECHECK_MS }
    deadline.signal.throwIfAborted()
  }
}

/** A nonce of a 402 for this request at this price, or one that a response may have given out. */
async function decideNonce(
  { nonces, surroundings }: SellerContext,
  nonce: string,
  quote: Quote,
): Promise<{ readonly askedAt: number | null } | { readonly reason: RefusalReason }> {
  const issuedAt = issuedAtOf(nonce)
  if (issuedAt === null) return { askedAt: null }
  const reason = decideAge({ issuedAt, now: surroundings.now(), ttlMs: quote.ttlMs, isAwaited: false })
  if (reason !== null) return { reason }
  return (await nonces.fits(nonce, quote)) ? { askedAt: issuedAt } : { reason: 'nonce_not_ours' }
}

/**
 * Asks the service whether the payer has begun to close. No reason: it has not, and the terms are those of the token.
 */
async function askFirst(
  { context, responses }: Taking,
  { captures, terms, deadline }: Shown,
  isKnown: boolean,
): Promise<Reply> {
  const { authorizationId, payerId, amountPaise, voucherKey } = terms
  const { now } = context.surroundings
  const before = responses.get(authorizationId)
  if (before !== undefined && now() < before.until && !(isKnown && before.reason === null)) return before
  const response = await responseTo()
  // An authorization that the payer has begun to close is captured at once.
  if (response.reason === 'authorization_not_open') captures.afterCall(payerId)
  if (responses.size >= MAX_RESPONSES) responses.clear()
  const lastsMs = response.reason === null ? OPEN_FOR_MS : REFUSED_FOR_MS
  responses.set(authorizationId, { ...response, until: now() + lastsMs })
  return response

  async function responseTo(): Promise<Reply> {
    try {
      const options = { signal: deadline.signal, maxRetries: 1 }
      const asked = await captures.ask(payerId, authorizationId, options)
      const isSame = asked.amountPaise === amountPaise && isSameKey(asked.voucherKey, voucherKey)
      if (!isSame) return { reason: 'authorization_not_genuine' }
      const isOpen = asked.isOpen && now() + asked.aheadMs < asked.expiresAt
      return isOpen ? { reason: null, asked } : { reason: 'authorization_not_open' }
    } catch (error) {
      if (!isBatuaError(error) || error.code !== 'not_found') throw error
      return { reason: 'authorization_not_genuine' }
    }
  }
}

function isSameKey(base64: string | null, base64Url: string): boolean {
  const bytes = bytesFromBase64(base64 ?? '')
  return bytes !== null && base64UrlFromBytes(bytes) === base64Url
}

/** Null: the call was accepted and stored. An authorization is stored with its first call. */
async function takeNow(
  { captures, terms, deadline }: Shown,
  call: VoucherCall,
  asked: AskedAuthorization | null,
) {
  const { payerId: buyer } = terms
  const taking = captures.records.update(buyer, tabs => {
    const known = asked === null ? tabs : withTab(tabs, asked, asked.askedAt)
    const taken = known === null ? 'outstanding' : takeCall(known, call)
    return typeof taken === 'string' ? { tabs, result: taken } : { tabs: taken, result: null }
  })
  try {
    // A store that only this process uses does not wait for other processes.
    return await (captures.records.isAlone ? taking : within(Infinity, deadline.signal, () => taking))
  } catch (error) {
    // The call may be stored nevertheless: it is not served.
    const forget = () => captures.records.note(buyer, tabs => noteResponse(tabs, call, false))
    void taking.then(forget, forget)
    throw error
  }
}

function takenCall(
  context: SellerContext,
  { captures, terms, quote }: Shown,
  call: VoucherCall,
): VoucherOutcome {
  const { payerId: buyer, authorizationId } = terms
  const { nonce, nextNonce } = call
  const { payTo, amountPaise } = quote
  const amount = rupeesText(amountPaise)
  const challenge = { payTo, amount, asset: 'INR', nonce: nextNonce, vouchers: true } as const
  const ref: CallRef = { authorizationId, nonce }
  let counted: boolean | null = null
  let storing: Promise<null> | null = null
  captures.inProgress.add(nonce)

  /** Counts or drops the call, and starts to store the result. */
  function count(isCounted: boolean): void {
    if (counted === isCounted) return
    counted = isCounted
    captures.records.note(buyer, tabs => noteResponse(tabs, ref, isCounted))
    storing = captures.records.update(buyer, tabs => ({ tabs, result: null }))
    // If storing fails now, the next change stores it; after a crash before that, the call is not counted.
    storing.catch(() => {})
  }
  function head(status: number) {
    count(isServed(status))
    return {
      [CHALLENGE_HEADER]: encodeChallenge(challenge),
      [TOTAL_HEADER]: totalOf(tabOf(captures, terms)) ?? '0.00',
      'Access-Control-Expose-Headers': `${CHALLENGE_HEADER}, ${TOTAL_HEADER}`,
    }
  }
  async function stored() {
    try {
      if (counted) await within(context.verifyTimeoutMs, undefined, async () => storing)
      return null
    } catch (error) {
      context.onError(error)
      const unavailable = unavailableResponse(null)
      return { ...unavailable, headers: { ...unavailable.headers, ...head(unavailable.status) } }
    }
  }
  return {
    kind: 'taken',
    payment: { paymentId: authorizationId, from: buyer, amount, nonce },
    head,
    // A store that only this process uses starts the write at once, and a line of a file is then already written.
    ...(captures.records.isAlone ? {} : { stored }),
    async finish(status) {
      const isEndServed = isServed(status)
      if (counted === null || !isEndServed) count(isEndServed)
      if (isEndServed) captures.records.note(buyer, tabs => finishCall(tabs, ref, true))
      captures.inProgress.delete(nonce)
      captures.afterCall(buyer)
    },
  }
}

function tabOf({ records }: TabCaptures, { payerId, authorizationId }: AuthorizationTerms): Tab | undefined {
  return records.latest(payerId).find(tab => tab.authorizationId === authorizationId)
}

/** What is stored of it now: another process, or an earlier one, may know it. */
function storedTab({ captures, terms, deadline }: Shown): Promise<Tab | undefined> {
  const { payerId, authorizationId } = terms
  return within(Infinity, deadline.signal, () =>
    captures.records.updateFresh(payerId, tabs => ({
      tabs,
      result: tabs.find(tab => tab.authorizationId === authorizationId),
    })),
  )
}

function totalOf(tab: Tab | undefined): string | null {
  return tab === undefined ? null : rupeesText(countedPaise(tab))
}

function refusedAs(reason: RefusalReason, tab?: Tab): VoucherOutcome {
  return { kind: 'refused', reason, total: totalOf(tab) }
}
