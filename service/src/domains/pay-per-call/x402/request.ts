import { X402_VERSION, type X402Network, type X402PaymentRequest } from '@batua/contract'
import { parseId } from '../../../kernel/ids.ts'
import { type Paise, paise } from '../../../kernel/money.ts'

/** The service as a facilitator: its network, and the origin that prices must name. */
export interface Rail {
  readonly network: X402Network
  readonly service: string
}

/** Real rupees are paid only at the service's own address, and the sandbox takes none of them. */
export function railOf({
  mode,
  baseUrl,
}: {
  readonly mode: 'sandbox' | 'live'
  readonly baseUrl: string
}): Rail {
  const network = mode === 'sandbox' ? 'batua:inr-sandbox' : 'batua:inr'
  return { network, service: new URL(baseUrl).origin }
}

/** What a buyer pays with: a payment made before the request, or money set aside for it. */
export type Means =
  | { readonly kind: 'payment'; readonly paymentId: string }
  | { readonly kind: 'authorization'; readonly token: string }

/** A payment of x402, as the seller sends it. */
export interface X402Payment {
  readonly scheme: 'exact' | 'upto'
  readonly means: Means
  readonly payer: string
  readonly payTo: string
  /** The price that the buyer accepted: of `upto` the most that is captured. */
  readonly pricePaise: Paise
  /** What is settled: of `upto` not more than the price, and perhaps nothing. */
  readonly amountPaise: Paise
  readonly nonce: string
  /** The seller's id for this request of its buyer; null: none. */
  readonly attempt: string | null
  /** Whether what was settled or set aside is to be given back. */
  readonly isCancel: boolean
}

/** Why a request is refused before the payment is checked, in the words of x402. */
export type RequestRefusal =
  | 'invalid_x402_version'
  | 'unsupported_scheme'
  | 'invalid_network'
  | 'unsupported_payment_flow'
  | 'invalid_payment_requirements'
  | 'invalid_payload'

type Fields = Readonly<Record<string, unknown>>

const PAISE = /^[1-9]\d{0,12}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const ATTEMPT = /^[\x21-\x7e]{1,100}$/
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/
const MAX_TOKEN_CHARACTERS = 2_000
/** What the buyer accepted must be what the seller asks for. The nonce may differ: it is another for each response. */
const AGREED = ['scheme', 'network', 'asset', 'payTo'] as const

/** Reads a request of x402. Pure. */
export function readX402Request(
  { x402Version, paymentPayload, paymentRequirements: price }: X402PaymentRequest,
  rail: Rail,
): X402Payment | RequestRefusal {
  if (x402Version !== X402_VERSION || paymentPayload['x402Version'] !== X402_VERSION)
    return 'invalid_x402_version'
  const refused = refusePrice(price, rail)
  if (refused !== null) return refused
  const { accepted, payload } = paymentPayload
  if (!isFields(accepted) || !isFields(payload)) return 'invalid_payload'
  if (AGREED.some(field => accepted[field] !== price[field])) return 'invalid_payload'
  const amounts = amountsOf(accepted['amount'], price)
  if (amounts === null || flowOf(accepted) !== flowOf(price)) return 'invalid_payload'
  const means = meansIn(payload, flowOf(price))
  const proof = proofIn(payload)
  if (means === null || proof === null) return 'invalid_payload'
  const scheme = price['scheme'] === 'upto' ? 'upto' : 'exact'
  return { scheme, means, payTo: String(price['payTo']), ...amounts, ...proof }
}

function refusePrice(price: Fields, { network, service }: Rail): RequestRefusal | null {
  const { scheme, amount, asset, payTo, extra } = price
  if (scheme !== 'exact' && scheme !== 'upto') return 'unsupported_scheme'
  if (price['network'] !== network) return 'invalid_network'
  const isNothing = scheme === 'upto' && amount === '0'
  if (asset !== 'INR' || typeof amount !== 'string' || !(PAISE.test(amount) || isNothing))
    return 'invalid_payment_requirements'
  if (typeof payTo !== 'string' || !isFields(extra) || extra['service'] !== service)
    return 'invalid_payment_requirements'
  const flow = flowOf(price)
  const isSupported = flow === 'authorization' || (flow === 'upfront' && scheme === 'exact')
  return isSupported ? null : 'unsupported_payment_flow'
}

/** x402's servers do not write the flow that is its default. */
function flowOf({ extra }: Fields): unknown {
  return isFields(extra) ? (extra['paymentFlow'] ?? 'authorization') : undefined
}

/** A handler may capture less than the buyer accepted, if the scheme is `upto`. */
function amountsOf(
  accepted: unknown,
  { scheme, amount }: Fields,
): Pick<X402Payment, 'pricePaise' | 'amountPaise'> | null {
  if (typeof accepted !== 'string' || !PAISE.test(accepted)) return null
  const [pricePaise, amountPaise] = [paise(BigInt(accepted)), paise(BigInt(String(amount)))]
  const isAgreed = scheme === 'upto' ? amountPaise <= pricePaise : amountPaise === pricePaise
  return isAgreed ? { pricePaise, amountPaise } : null
}

function meansIn({ transactionId, authorization }: Fields, flow: unknown): Means | null {
  if (flow === 'upfront') {
    const isPayment = typeof transactionId === 'string' && parseId('pay', transactionId) !== null
    return isPayment ? { kind: 'payment', paymentId: transactionId } : null
  }
  const isToken =
    typeof authorization === 'string' &&
    authorization.length <= MAX_TOKEN_CHARACTERS &&
    TOKEN.test(authorization)
  return isToken ? { kind: 'authorization', token: authorization } : null
}

function proofIn(payload: Fields): Pick<X402Payment, 'payer' | 'nonce' | 'attempt' | 'isCancel'> | null {
  const { version, fromAgent, nonce, attempt = null, phase } = payload
  const isCancel = phase === 'cancel'
  if (version !== 1 || (phase !== undefined && !isCancel)) return null
  if (typeof fromAgent !== 'string' || parseId('agt', fromAgent) === null) return null
  if (typeof nonce !== 'string' || !UUID.test(nonce)) return null
  if (attempt !== null && !(typeof attempt === 'string' && ATTEMPT.test(attempt))) return null
  // Without it nothing says whose settlement is undone.
  if (isCancel && attempt === null) return null
  return { payer: fromAgent, nonce, attempt, isCancel }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
