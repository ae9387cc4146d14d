import type { VerifyFailure } from '../api/types.ts'
import { paiseFromRupees, rupeesText } from './amount.ts'
import { textFromBase64 } from './base64.ts'
import { decodeChallenge, encodeChallenge } from './headers.ts'
import type { PaymentChallenge } from './messages.ts'

/** The names of x402's fields in `_meta` of MCP requests and results. */
export const PAYMENT_META = 'x402/payment'
export const PAYMENT_RESPONSE_META = 'x402/payment-response'

/** The headers of x402's transport for HTTP: base64 of a payment required, of a payment, and of its settlement. */
export const REQUIRED_HEADER = 'PAYMENT-REQUIRED'
export const SIGNATURE_HEADER = 'PAYMENT-SIGNATURE'
export const RESPONSE_HEADER = 'PAYMENT-RESPONSE'

/** The networks of x402 in which this service moves money. */
export type Network = 'batua:inr' | 'batua:inr-sandbox'

export const NETWORKS: readonly unknown[] = ['batua:inr', 'batua:inr-sandbox'] satisfies readonly Network[]

/** What x402 calls payment requirements: a price and how it is paid. */
export interface PaymentRequirements {
  readonly scheme: Scheme
  readonly network: Network
  /** Paise, in decimal digits. */
  readonly amount: string
  readonly asset: 'INR'
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: {
    readonly nonce: string
    /** The origin of the service at which it is paid. */
    readonly service: string
    readonly paymentFlow: PaymentFlow
  }
}

/** The price is paid in full, or as much of it as the seller says. */
export type Scheme = 'exact' | 'upto'

/** The price is paid before the call, or set aside before it and captured afterwards. */
export type PaymentFlow = 'upfront' | 'authorization'

/** What is sold. */
export interface Resource {
  readonly url: string
  readonly description?: string
}

/** What x402 calls payment required: the response to a call that was not paid. */
export interface PaymentRequired {
  readonly x402Version: 2
  readonly error: string
  readonly resource: Resource
  readonly accepts: readonly PaymentRequirements[]
  readonly [PAYMENT_RESPONSE_META]?: SettlementResponse
}

/** What x402 calls a settlement response: whether a payment was taken. */
export interface SettlementResponse {
  readonly success: boolean
  readonly errorReason?: string
  /** The payment; empty if none was taken. */
  readonly transaction: string
  readonly network: Network
  readonly payer?: string
}

/** Where sellers are paid. */
export interface PaymentRail {
  readonly network: Network
  readonly service: string
}

/** Where a seller is paid, or a buyer pays, with this client. Throws a TypeError for an invalid origin or network. */
export function railOf(
  { baseUrl }: { readonly baseUrl: string },
  { network, service }: { readonly network?: Network | undefined; readonly service?: string | undefined },
): PaymentRail {
  const { origin, protocol } = new URL(service ?? baseUrl)
  const own = network ?? (protocol === 'https:' ? 'batua:inr' : 'batua:inr-sandbox')
  if (!NETWORKS.includes(own)) throw new TypeError(`network is one of ${NETWORKS.join(', ')}`)
  return { network: own, service: origin }
}

/** A price as x402 has it; with `setAside` it is set aside before the request. */
export function requirementsOf(
  { payTo, amount, asset, nonce }: PaymentChallenge,
  { network, service }: PaymentRail,
  ttlMs: number,
  setAside?: { readonly scheme: Scheme },
): PaymentRequirements {
  const paymentFlow = setAside ? 'authorization' : 'upfront'
  return {
    scheme: setAside?.scheme ?? 'exact',
    network,
    amount: paiseFromRupees(amount).toString(),
    asset,
    payTo,
    maxTimeoutSeconds: Math.floor(ttlMs / 1_000),
    extra: { nonce, service, paymentFlow },
  }
}

/** A way to pay that this SDK knows: as it came, and as a challenge of pay-per-call. */
export interface Offer {
  readonly requirements: object
  readonly challenge: PaymentChallenge
  readonly scheme: Scheme
  /** For how many seconds the price is set aside; null: it is paid before the call. */
  readonly setAsideSeconds: number | null
  /** The origin of the service at which it is paid. */
  readonly service: string
}

/** The ways to pay in a payment required that this SDK knows, in the seller's order. */
export function offersIn({ accepts }: Fields): Offer[] {
  const offered: readonly unknown[] = Array.isArray(accepts) ? accepts : []
  return offered.flatMap(each => (isFields(each) ? (offerOf(each) ?? []) : []))
}

function offerOf(requirements: Fields): Offer | null {
  const { scheme, network, asset, amount, payTo, extra } = requirements
  if (scheme !== 'exact' && scheme !== 'upto') return null
  if (!NETWORKS.includes(network) || asset !== 'INR' || !isFields(extra)) return null
  const { nonce, service, paymentFlow = 'authorization' } = extra
  if (paymentFlow !== 'authorization' && (paymentFlow !== 'upfront' || scheme === 'upto')) return null
  if (typeof service !== 'string') return null
  if (typeof amount !== 'string' || !/^[1-9]\d{0,12}$/.test(amount)) return null
  if (typeof payTo !== 'string' || typeof nonce !== 'string') return null
  const challenge = checked({ payTo, amount: rupeesText(BigInt(amount)), asset: 'INR', nonce })
  const setAsideSeconds =
    paymentFlow === 'upfront' ? null : secondsToSetAside(requirements['maxTimeoutSeconds'])
  return challenge && { requirements, challenge, service, scheme, setAsideSeconds }
}

const DEFAULT_TIMEOUT_SECONDS = 300
const [LEAST_SECONDS, MOST_SECONDS] = [60, 2_592_000]

/** Twice as long as the price is valid: a seller that could not be reached may take it later. */
function secondsToSetAside(timeout: unknown): number {
  const seconds = Number.isSafeInteger(timeout) ? Number(timeout) : DEFAULT_TIMEOUT_SECONDS
  return Math.min(Math.max(2 * seconds, LEAST_SECONDS), MOST_SECONDS)
}

/** The rules of `X-SERVICE-PAY` are those of every challenge. */
function checked(challenge: PaymentChallenge): PaymentChallenge | null {
  try {
    return decodeChallenge(encodeChallenge(challenge))
  } catch {
    return null
  }
}

/** The price of an offer as the buyer accepts it: with the nonce that was paid, which may be that of an earlier one. */
export function acceptedFor({ requirements }: Pick<Offer, 'requirements'>, nonce: string): object {
  const { extra } = requirements as { readonly extra?: object }
  return { ...requirements, extra: { ...extra, nonce } }
}

/** Why the service does not verify a payment. */
export const VERIFY_FAILURES: readonly VerifyFailure[] = [
  'transaction_not_found',
  'transaction_not_completed',
  'not_payee',
  'payee_mismatch',
  'payer_mismatch',
  'insufficient_amount',
  'nonce_mismatch',
  'nonce_already_used',
]

/**
 * The reasons of a seller that is certain not to serve a payment. After any other one it may serve it later: x402's
 * servers respond with 402 also if the service could not be reached.
 */
const FINAL_REASONS: ReadonlySet<unknown> = new Set<unknown>([
  ...VERIFY_FAILURES,
  'nonce_not_ours',
  'nonce_expired',
  'receipt_not_genuine',
  'invalid_payment_header',
  'invalid_x402_version',
  'invalid_network',
  'invalid_payload',
  'invalid_payment_requirements',
  'unsupported_scheme',
  'unsupported_payment_flow',
  'No matching payment requirements',
])

/** Whether a settlement, or a payment required in its place, says that a payment will not be taken. */
export function isFinal(refusal: unknown): boolean {
  return isFields(refusal) && FINAL_REASONS.has(refusal['errorReason'] ?? refusal['error'])
}

/** The JSON object in a header of x402; null if there is none. */
export function fieldsInHeader(header: string | null): Fields | null {
  if (header === null || header.length > MAX_X402_CHARACTERS) return null
  try {
    const value: unknown = JSON.parse(textFromBase64(header) ?? '')
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

/** Longer headers are refused by most servers. */
const MAX_X402_CHARACTERS = 16_384

/** A JSON object from outside. */
export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
