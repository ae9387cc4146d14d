import { paiseFromRupees, rupeesText } from './amount.ts'
import { decodeChallenge, encodeChallenge } from './headers.ts'
import type { PaymentChallenge } from './messages.ts'

/** The names of x402's fields in `_meta` of MCP requests and results. */
export const PAYMENT_META = 'x402/payment'
export const PAYMENT_RESPONSE_META = 'x402/payment-response'

/** The networks of x402 in which this service moves money. */
export type Network = 'batua:inr' | 'batua:inr-sandbox'

const NETWORKS: readonly unknown[] = ['batua:inr', 'batua:inr-sandbox'] satisfies readonly Network[]

/** What x402 calls payment requirements: a price and how it is paid. */
export interface PaymentRequirements {
  readonly scheme: 'exact'
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
    /** It is paid before the call. */
    readonly paymentFlow: 'upfront'
  }
}

/** What is sold. */
export interface Resource {
  readonly url: string
  readonly description?: string
}

/** What x402 calls payment required: the answer to a call that was not paid. */
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

export function requirementsOf(
  { payTo, amount, asset, nonce }: PaymentChallenge,
  { network, service }: PaymentRail,
  ttlMs: number,
): PaymentRequirements {
  return {
    scheme: 'exact',
    network,
    amount: paiseFromRupees(amount).toString(),
    asset,
    payTo,
    maxTimeoutSeconds: Math.floor(ttlMs / 1_000),
    extra: { nonce, service, paymentFlow: 'upfront' },
  }
}

/** A way to pay that this SDK knows: as it came, and as a challenge of pay-per-call. */
export interface Offer {
  readonly requirements: object
  readonly challenge: PaymentChallenge
  /** The origin of the service at which it is paid. */
  readonly service: string
}

/** The first way to pay in a payment required that this SDK knows; null if there is none. */
export function offerIn(paymentRequired: Fields): Offer | null {
  const { accepts } = paymentRequired
  if (!Array.isArray(accepts)) return null
  for (const each of accepts) {
    const offer = isFields(each) ? offerOf(each) : null
    if (offer !== null) return offer
  }
  return null
}

function offerOf(requirements: Fields): Offer | null {
  const { scheme, network, asset, amount, payTo, extra } = requirements
  if (scheme !== 'exact' || !NETWORKS.includes(network) || asset !== 'INR' || !isFields(extra)) return null
  const { nonce, service, paymentFlow } = extra
  if (paymentFlow !== 'upfront' || typeof service !== 'string') return null
  if (typeof amount !== 'string' || !/^[1-9]\d{0,12}$/.test(amount)) return null
  if (typeof payTo !== 'string' || typeof nonce !== 'string') return null
  const challenge = checked({ payTo, amount: rupeesText(BigInt(amount)), asset: 'INR', nonce })
  return challenge && { requirements, challenge, service }
}

/** The rules of `X-SERVICE-PAY` are those of every challenge. */
function checked(challenge: PaymentChallenge): PaymentChallenge | null {
  try {
    return decodeChallenge(encodeChallenge(challenge))
  } catch {
    return null
  }
}

/** A JSON object from outside. */
export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
