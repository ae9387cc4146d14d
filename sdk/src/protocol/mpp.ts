import { rupeesText } from './amount.ts'
import { base64FromText, base64UrlFromBytes, bytesFromBase64 } from './base64.ts'
import { decodeChallenge, decodeProof, decodeVoucherProof, encodeChallenge } from './headers.ts'
import type { PaymentChallenge, PaymentProof, VoucherProof } from './messages.ts'
import { type Fields, isFields } from './x402.ts'

/**
 * MPP, the HTTP authentication scheme `Payment`, with the method `batua`: a challenge in `WWW-Authenticate`, a credential
 * in `Authorization`, a receipt in `Payment-Receipt`. The intent `charge` is one payment; with `session` vouchers of an
 * authorization pay for many requests.
 */
export const MPP_METHOD = 'batua'
export const MPP_CHARGE = 'charge'
export const MPP_SESSION = 'session'

export const AUTHENTICATE_HEADER = 'WWW-Authenticate'
export const RECEIPT_HEADER = 'Payment-Receipt'

/** The `request` of a challenge, as it is on the wire. */
export interface ChargeRequest {
  /** Paise, in decimal digits. */
  readonly amount: string
  readonly currency: 'inr'
  /** The payee: a handle or an agent id. */
  readonly recipient: string
  readonly methodDetails: {
    /** A UUID that is accepted once: ids of challenges of one millisecond are equal. */
    readonly nonce: string
    /** The origin of the service at which it is paid. */
    readonly service: string
    /** Method and path of what is sold. */
    readonly resource: string
  }
}

/** A price, with the challenge's parameters as they came: a credential repeats them. */
export interface Charge {
  readonly params: Readonly<Record<string, string>>
  readonly challenge: PaymentChallenge
  readonly service: string
  readonly resource: string
}

/** The nonces of all challenges of this method in a `WWW-Authenticate`, whatever their intent. */
export function noncesIn(header: string | null): string[] {
  return offersIn(header).map(({ challenge }) => challenge.nonce)
}

/** The prices by this method in a `WWW-Authenticate`, in the seller's order; what cannot be read is left out. */
export function offersIn(header: string | null, intent?: string): Charge[] {
  if (header === null || header.length > MAX_CHARACTERS) return []
  return challengesIn(header).flatMap(params => {
    if (params['method'] !== MPP_METHOD || (intent !== undefined && params['intent'] !== intent)) return []
    const request = fieldsIn(params['request'] ?? '')
    const charge = request && chargeOf(request)
    return charge === null ? [] : [{ params, ...charge }]
  })
}

/** What a request asks for; null if it is none of this method. */
export function chargeOf(request: Fields): Omit<Charge, 'params'> | null {
  const { amount, currency, recipient, methodDetails } = request
  if (currency !== 'inr' || !isFields(methodDetails) || typeof recipient !== 'string') return null
  if (typeof amount !== 'string' || !/^[1-9]\d{0,12}$/.test(amount)) return null
  const { nonce, service, resource } = methodDetails
  if (typeof nonce !== 'string' || typeof service !== 'string' || typeof resource !== 'string') return null
  const asked = { payTo: recipient, amount: rupeesText(BigInt(amount)), asset: 'INR', nonce } as const
  const challenge = decodeChallenge(encodeChallenge(asked))
  return challenge && { challenge, service, resource }
}

/** The voucher in a credential of this method; null if there is none. */
export function voucherInCredential(header: string | null): VoucherProof | null {
  return sessionProof(payloadIn(header))
}

/** The payload of a credential as a proof by a voucher; null if it is none. */
export function sessionProof(payload: unknown): VoucherProof | null {
  return isFields(payload) ? decodeVoucherProof(base64FromText(JSON.stringify(payload))) : null
}

/** What a receipt says of a session: the amount in all that the seller counts, INR; null if it says nothing. */
export function totalInReceipt(header: string | null): string | null {
  const total = fieldsIn(header ?? '')?.['total']
  return typeof total === 'string' ? total : null
}

/**
 * The value of the header with which a charge is paid. The payload is a proof of payment. Its nonce may be that of an
 * earlier challenge, which was paid and not served.
 */
export function credentialFor(
  params: Readonly<Record<string, string>>,
  payload: PaymentProof | VoucherProof,
): string {
  const text = JSON.stringify({ challenge: params, payload })
  return `Payment ${base64UrlFromBytes(new TextEncoder().encode(text))}`
}

/** The proof in a credential of this method; null if there is none. */
export function proofInCredential(header: string | null): PaymentProof | null {
  return chargeProof(payloadIn(header))
}

/** The payload of a credential of this method; null if it is none. */
function payloadIn(header: string | null): Fields | null {
  const [, text = ''] = /^Payment +([\w+/=-]+)$/i.exec(header ?? '') ?? []
  const { challenge, payload } = fieldsIn(text) ?? {}
  const isOurs = isFields(challenge) && challenge['method'] === MPP_METHOD
  return isOurs && isFields(payload) ? payload : null
}

/** The payload of a credential as a proof; null if it is none. */
export function chargeProof(payload: unknown): PaymentProof | null {
  return isFields(payload) ? decodeProof(base64FromText(JSON.stringify(payload))) : null
}

const MAX_CHARACTERS = 16_384

/** The fields of a JSON object in base64; null if there is none. */
export function fieldsIn(text: string): Fields | null {
  const bytes = bytesFromBase64(text)
  if (bytes === null) return null
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

/** RFC 9110, section 11.2: a token, then `=`, then a token or a quoted string. */
const PARAMETER = /\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))\s*(?:,|$)/y
const SCHEME = /\s*(?:,\s*)?([\w!#$%&'*+.^`|~-]+)(?:\s+|\s*(?:,|$))/y

/** The parameters of each challenge of the scheme `Payment`; a header has challenges of several schemes. */
function challengesIn(header: string): Record<string, string>[] {
  const found: Record<string, string>[] = []
  let at = 0
  while (at < header.length) {
    SCHEME.lastIndex = at
    const scheme = SCHEME.exec(header)
    if (scheme === null) break
    at = SCHEME.lastIndex
    const params: Record<string, string> = Object.create(null)
    for (;;) {
      PARAMETER.lastIndex = at
      const parameter = PARAMETER.exec(header)
      if (parameter === null) break
      const [, name = '', quoted, token = ''] = parameter
      params[name.toLowerCase()] = quoted === undefined ? token : quoted.replace(/\\(.)/g, '$1')
      at = PARAMETER.lastIndex
    }
    if (scheme[1]?.toLowerCase() === 'payment') found.push({ ...params })
  }
  return found
}
