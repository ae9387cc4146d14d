import { MAX_WAIT_MS, retryAfterMsOf } from '../client/retry.ts'
import { type Paise, paiseFromRupees, rupeesText } from '../protocol/amount.ts'
import { builtIn } from '../protocol/built-in.ts'
import { decodeChallenge, encodeVoucherProof } from '../protocol/headers.ts'
import { CHALLENGE_HEADER, PROOF_HEADER, TOTAL_HEADER } from '../protocol/messages.ts'
import { payeeName } from '../protocol/payee.ts'
import { signVoucher } from '../protocol/vouchers.ts'
import type { Buyer } from './buyer.ts'
import { type BuyerTab, beginCall, endCall, hasRoom, isCheaper, keepNonce } from './buyer-tab.ts'
import { notePayment } from './call-payments.ts'
import type { CallerRequest, Hop } from './caller-request.ts'
import type { Order } from './decide-challenge.ts'
import { discard } from './discard.ts'
import { isRedirect, nextHop } from './present-proof.ts'
import { PurchaseError } from './purchase-error.ts'
import { closeTab, createTabOpening } from './tab-openings.ts'
import { hostOf, originOf, type TabTerms } from './terms.ts'

/** The authorizations that a buyer spends by vouchers. */
export interface BuyerTabs {
  /** Sends a request with a voucher for its last known price; null: no price is known, so request it first. */
  spend(request: CallerRequest): Promise<Response | null>
  /**
   * Pays a 402 by a voucher, and returns the response, which may be a 402 again; null: the price is to be paid singly.
   * `payeeId`: the payee, checked.
   */
  pay(
    request: CallerRequest,
    hop: Hop,
    order: Order & { readonly payeeId: string | null },
  ): Promise<Response | null>
  /** Closes all authorizations, so that what was not spent comes back. */
  close(): Promise<void>
}

/** Prices of requests; each takes about 300 bytes. */
const MAX_PRICES = 2_000
/** A seller that refuses vouchers at its own price, or misuses them, gets one payment for each call for this long. */
const DISTRUST_MS = 60 * 60_000
const MAX_REFUSALS = 2
const MAX_REPEATS = 5
const FIRST_DELAY_MS = 250
const UNAVAILABLE = 503
const MAX_TICK_MS = 30_000

interface Price {
  readonly payTo: string
  readonly paise: Paise
}

interface Purse {
  readonly buyer: Buyer
  /** Sends requests with vouchers, which use no other protocol. */
  readonly fetch: typeof globalThis.fetch
  readonly terms: TabTerms
  readonly tabs: Set<BuyerTab>
  readonly prices: Map<string, Price>
  /** Until when a seller gets one payment for each call, by origin and payee. */
  readonly distrusted: Map<string, number>
}

export function createBuyerTabs(buyer: Buyer, terms: TabTerms, fetch: typeof globalThis.fetch): BuyerTabs {
  const purse: Purse = { buyer, fetch, terms, tabs: new Set(), prices: new Map(), distrusted: new Map() }
  const { time } = buyer
  let timer: { readonly stop: () => void } | null = null

  async function closeWhich(isDue: (tab: BuyerTab) => boolean): Promise<void> {
    const due = [...purse.tabs].filter(tab => tab.openCalls === 0 && isDue(tab))
    for (const tab of due) tab.isRetired = true
    await Promise.all(
      due.map(async tab => {
        if (await closeTab(buyer, tab)) purse.tabs.delete(tab)
      }),
    )
    if (purse.tabs.size > 0) return
    timer?.stop()
    timer = null
  }
  const isIdle = ({ isRetired, lastUsedAt, expiresAt }: BuyerTab) =>
    isRetired || time.now() - lastUsedAt >= terms.idleMs || time.now() >= expiresAt
  const close = () => closeWhich(() => true)

  const opening = createTabOpening(buyer, terms, {
    openAt: host => [...purse.tabs].filter(tab => tab.host === host).length,
    add(tab) {
      purse.tabs.add(tab)
      timer ??= repeat(Math.min(terms.idleMs, MAX_TICK_MS), () => void closeWhich(isIdle))
      closeAtExit(close)
    },
  })

  return {
    async spend(request) {
      const price = request.key === null ? undefined : purse.prices.get(priceKey(request.hop))
      if (price === undefined) return null
      const tab = usable(purse, originOf(request.url), price)
      const nonce = tab?.nonces.pop()
      if (tab === undefined || nonce === undefined) return null
      return sendVoucher(purse, request, request.hop, { tab, nonce, pricePaise: price.paise })
    },
    async pay(request, hop, order) {
      const origin = originOf(hop.url)
      const price = { payTo: payeeName(order.payTo), paise: order.amountPaise }
      notePrice(purse, hop, price)
      if (!isCheaper(price.paise, terms.amountPaise) || isDistrusted(purse, origin, price.payTo)) return null
      let tab = usable(purse, origin, price)
      if (tab === undefined) {
        // An authorization that is used up is closed as soon as its calls have ended.
        for (const each of purse.tabs) if (isOf(each, origin, price.payTo)) each.isRetired = true
        await closeWhich(each => each.isRetired)
        tab = (await opening({ ...order, origin, host: hostOf(hop.url) }, request.signal)) ?? undefined
      }
      if (tab === undefined || !hasRoom(tab, price.paise, time.now())) return null
      return sendVoucher(purse, request, hop, { tab, nonce: order.nonce, pricePaise: price.paise })
    },
    close,
  }
}

function isOf(tab: BuyerTab, origin: string, payTo: string): boolean {
  return tab.origin === origin && payeeName(tab.payTo) === payTo
}

function usable({ tabs, buyer }: Purse, origin: string, { payTo, paise }: Price): BuyerTab | undefined {
  const now = buyer.time.now()
  for (const tab of tabs) if (isOf(tab, origin, payTo) && hasRoom(tab, paise, now)) return tab
  return undefined
}

/** The same path may have another price with another query: then the seller responds with another 402. */
function priceKey({ method, url }: Hop): string {
  return `${method.toUpperCase()} ${originOf(url)}${url.pathname}`
}

function notePrice({ prices }: Purse, hop: Hop, price: Price): void {
  const key = priceKey(hop)
  prices.delete(key)
  prices.set(key, price)
  for (const eldest of prices.keys()) {
    if (prices.size <= MAX_PRICES) break
    prices.delete(eldest)
  }
}

function isDistrusted({ distrusted, buyer }: Purse, origin: string, payTo: string): boolean {
  const until = distrusted.get(`${origin} ${payTo}`)
  return until !== undefined && buyer.time.now() < until
}

interface Spending {
  readonly tab: BuyerTab
  readonly nonce: string
  readonly pricePaise: Paise
}

/** Sends one voucher, and counts it by the response. */
async function sendVoucher(
  purse: Purse,
  request: CallerRequest,
  hop: Hop,
  { tab, nonce, pricePaise }: Spending,
): Promise<Response> {
  const { buyer } = purse
  const { authorizationId, token, key, refusals } = tab
  const amountPaise = beginCall(tab, pricePaise, buyer.time.now())
  let response: Response | null = null
  try {
    const voucher = await signVoucher(key, { authorizationId, amountPaise, nonce })
    const fromAgent = await buyer.agentId(request.signal)
    const headers = new Headers(hop.headers)
    headers.set(
      PROOF_HEADER,
      encodeVoucherProof({ version: 1, authorization: token, voucher, fromAgent, nonce }),
    )
    response = await deliver(purse, request, { ...hop, headers })
  } finally {
    const total = response?.headers.get(TOTAL_HEADER) ?? null
    endCall(tab, pricePaise, response && { status: response.status, total }, buyer.time.now())
  }
  noteResponse(purse, hop, { tab, refusals }, response)
  if (response.status === 402) return response
  const amount = rupeesText(pricePaise)
  notePayment(response, {
    ...{ status: 'completed', paymentId: authorizationId, approvalId: null, payTo: tab.payTo, amount, nonce },
  })
  return isRedirect(response) ? followed(request, hop, tab, response) : response
}

/**
 * Keeps the next nonce, and stops trusting a seller that refuses vouchers at its own price. `refusals`: how many there
 * had been when the call began. Calls that are refused at the same time, such as after the seller's restart, count
 * once.
 */
function noteResponse(
  purse: Purse,
  hop: Hop,
  { tab, refusals }: { readonly tab: BuyerTab; readonly refusals: number },
  response: Response,
): void {
  const challenge = decodeChallenge(response.headers.get(CHALLENGE_HEADER) ?? '')
  if (response.status !== 402) {
    tab.refusals = 0
    if (challenge?.vouchers !== true || payeeName(challenge.payTo) !== payeeName(tab.payTo)) return
    keepNonce(tab, challenge.nonce)
    // Never more than the accepted price: a seller asks for a higher one with a 402.
    const known = purse.prices.get(priceKey(hop))
    const paise = paiseFromRupees(challenge.amount)
    if (known !== undefined && paise < known.paise) notePrice(purse, hop, { ...known, paise })
    return
  }
  tab.refusals = Math.max(tab.refusals, refusals + 1)
  if (challenge?.vouchers === true && tab.refusals <= MAX_REFUSALS) return
  tab.isRetired = true
  purse.distrusted.set(`${tab.origin} ${payeeName(tab.payTo)}`, purse.buyer.time.now() + DISTRUST_MS)
}

/**
 * Sends a request with its voucher, and again with the same one if no response comes or the seller could not check it:
 * a nonce counts once. If it was used although no response came, the failure stands.
 */
async function deliver({ buyer, fetch }: Purse, request: CallerRequest, hop: Hop): Promise<Response> {
  let failure: { readonly error: unknown } | null = null
  for (let repeats = 0; ; repeats++) {
    let response: Response
    try {
      response = await request.resend(hop, fetch)
    } catch (error) {
      if (request.signal?.aborted === true || failure !== null) throw error
      failure = { error }
      continue
    }
    if (failure !== null && response.status === 402) {
      discard(response)
      throw failure.error
    }
    if (response.status !== UNAVAILABLE || response.headers.has(TOTAL_HEADER) || repeats >= MAX_REPEATS)
      return response
    const now = buyer.time.now()
    const delayMs = retryAfterMsOf(response.headers.get('retry-after'), now) ?? FIRST_DELAY_MS * 2 ** repeats
    if (delayMs > MAX_WAIT_MS) return response
    discard(response)
    await buyer.time.wait(delayMs, request.signal)
  }
}

/** Follows a redirect within the origin, without a voucher: what is there may cost something else. */
async function followed(
  request: CallerRequest,
  hop: Hop,
  tab: BuyerTab,
  response: Response,
): Promise<Response> {
  if (request.redirect === 'manual') return response
  const next = request.redirect === 'follow' ? nextHop(hop, response) : null
  if (next === null) {
    const message = 'The seller redirects the paid request, and nothing more was sent there'
    const facts = { message, url: hop.url.href, paymentId: tab.authorizationId, response: response }
    throw new PurchaseError({ code: 'redirect_refused', ...facts })
  }
  discard(response)
  return request.resend(next)
}

/** Runs until it is stopped, but does not prevent the process from ending. */
function repeat(everyMs: number, run: () => void): { readonly stop: () => void } {
  const timer: unknown = setInterval(run, everyMs)
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref()
  }
  return { stop: () => clearInterval(timer as Parameters<typeof clearInterval>[0]) }
}

interface NodeProcess {
  readonly once: (event: 'beforeExit', work: () => void) => unknown
}

const atExit = new Set<() => Promise<void>>()

/** A program that ends normally closes its authorizations; one that is killed does not. */
function closeAtExit(close: () => Promise<void>): void {
  if (atExit.size === 0) {
    builtIn<NodeProcess>('node:process')?.once?.('beforeExit', () => {
      const closing = [...atExit]
      atExit.clear()
      for (const each of closing) void each()
    })
  }
  atExit.add(close)
}
