import { MAX_WAIT_MS, retryAfterMsOf } from '../client/retry.ts'
import { encodeAuthorizationProof, encodeProof, isReceiptToken } from '../protocol/headers.ts'
import { PROOF_HEADER } from '../protocol/messages.ts'
import type { Buyer } from './buyer.ts'
import type { CallerRequest, Hop } from './caller-request.ts'
import { discard } from './discard.ts'
import { abortable, failed, isSetAside, type PurchaseInProgress } from './ensure-payment.ts'
import { PurchaseError } from './purchase-error.ts'
import { readSetAside } from './set-aside.ts'

/** A paid challenge. */
export interface PaidSale extends PurchaseInProgress {
  readonly paymentId: string
  /** null: no approval was needed. */
  readonly approvalId: string | null
  /** The token of the payment's receipt, or of the authorization; null if the response did not contain it. */
  readonly receipt: string | null
}

/** The seller's response, or the failure instead of one. */
type Attempt = { readonly response: Response } | { readonly failure: unknown }

/** The proof is valid without the receipt too, so the wait for it is shorter than for other responses. */
const RECEIPT_TIMEOUT_MS = 5_000
const MAX_REPEATS = 5
const FIRST_DELAY_MS = 250
const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const BUSY = new Set([425, 429, 503])
/** Headers that describe a body and are dropped with it. */
const BODY_HEADERS = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-type',
]

/**
 * Repeats the request to a seller with the proof. The same proof is sent again if no response comes or the seller is
 * busy: a nonce is accepted once, so this never buys twice. Returns the seller's last response.
 */
export async function presentProof(buyer: Buyer, request: CallerRequest, sale: PaidSale): Promise<Response> {
  const first = await withProof(buyer, request, sale)
  for (let repeats = 0; ; repeats++) {
    const attempt = await attemptOnce(request, first, sale)
    const delayMs = repeats < MAX_REPEATS ? delayAfter(attempt, repeats, buyer.time.now()) : null
    if (delayMs === null) {
      if ('response' in attempt) return attempt.response
      throw attempt.failure
    }
    if ('response' in attempt) discard(attempt.response)
    await buyer.time.wait(delayMs, sale.signal)
  }
}

async function withProof(buyer: Buyer, { hop }: CallerRequest, sale: PaidSale): Promise<Hop> {
  const { nonce } = sale.purchase
  const fromAgent = await buyer.agentId(sale.signal)
  const headers = new Headers(hop.headers)
  if (isSetAside(sale.purchase)) {
    const authorization = sale.receipt ?? (await readSetAside(buyer, sale, sale.paymentId)).token
    headers.set(PROOF_HEADER, encodeAuthorizationProof({ version: 1, authorization, fromAgent, nonce }))
    return { ...hop, url: sale.url, headers }
  }
  const proof = { version: 1, transactionId: sale.paymentId, fromAgent, nonce } as const
  const receipt = sale.receipt ?? (await receiptOf(buyer, sale))
  headers.set(PROOF_HEADER, encodeProof(receipt === null ? proof : { ...proof, receipt }))
  return { ...hop, url: sale.url, headers }
}

/** The token of a payment that an approval or an earlier call made. The proof is valid without it too. */
async function receiptOf({ client }: Buyer, { paymentId, signal }: PaidSale): Promise<string | null> {
  try {
    const { token } = await client.getReceipt(
      { receipt_id: paymentId },
      { maxRetries: 0, timeoutMs: RECEIPT_TIMEOUT_MS, ...abortable(signal) },
    )
    return isReceiptToken(token) ? token : null
  } catch {
    return null
  }
}

async function attemptOnce(request: CallerRequest, first: Hop, sale: PaidSale): Promise<Attempt> {
  try {
    return { response: await follow(request, first, response => redirected(sale, response)) }
  } catch (failure) {
    if (failure instanceof PurchaseError || sale.signal?.aborted === true) throw failure
    return { failure }
  }
}

/** The delay before the proof is sent again, in ms; null: the result is final. */
function delayAfter(attempt: Attempt, repeats: number, nowMs: number): number | null {
  const backoffMs = FIRST_DELAY_MS * 2 ** repeats
  if ('failure' in attempt) return backoffMs
  const { status, headers } = attempt.response
  if (!BUSY.has(status)) return null
  const delayMs = retryAfterMsOf(headers.get('retry-after'), nowMs) ?? backoffMs
  return delayMs <= MAX_WAIT_MS ? delayMs : null
}

/**
 * Sends a request and follows redirects within its origin itself, because `fetch` would send its headers to any origin.
 * A browser does not reveal the target of a redirect, so no redirect is followed there.
 */
export async function follow(
  request: CallerRequest,
  first: Hop,
  refusal: (response: Response) => PurchaseError,
): Promise<Response> {
  let hop = first
  for (let redirects = 0; ; redirects++) {
    const response = await request.resend(hop)
    if (request.redirect === 'manual' || !isRedirect(response)) return response
    const next = request.redirect === 'follow' && redirects < MAX_REDIRECTS ? nextHop(hop, response) : null
    if (next === null) throw refusal(response)
    discard(response)
    hop = next
  }
}

function redirected(sale: PaidSale, response: Response): PurchaseError {
  const message = 'The seller redirects the paid request, and the proof was not sent there'
  return failed(sale, 'redirect_refused', message, { paymentId: sale.paymentId, response })
}

export function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (REDIRECTS.has(status) && headers.has('location'))
}

/** The target of a redirect, by the rules of `fetch`; null if it is another origin or unknown. */
export function nextHop(hop: Hop, { status, headers }: Response): Hop | null {
  const url = resolved(headers.get('location'), hop.url)
  if (url === null || url.origin !== hop.url.origin || !isPlainWeb(url)) return null
  const method = hop.method.toUpperCase()
  const becomesGet =
    status === 303 ? method !== 'GET' && method !== 'HEAD' : status < 303 && method === 'POST'
  if (!becomesGet) return { ...hop, url }
  const kept = new Headers(hop.headers)
  for (const name of BODY_HEADERS) kept.delete(name)
  return { url, method: 'GET', headers: kept, body: null }
}

/** `fetch` refuses other schemes, and a blob has the origin of its creator. */
function isPlainWeb({ protocol, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function resolved(location: string | null, base: URL): URL | null {
  if (location === null) return null
  try {
    return new URL(location, base)
  } catch {
    return null
  }
}
