import { type Paise, rupeesText } from './amount.ts'
import { base64UrlFromBytes, bytesFromBase64Url } from './base64.ts'
import type { SigningKey, Verify } from './ed25519.ts'

/**
 * The form of a voucher (contract section 12): a compact JWS over the cumulative amount that a payee may capture of an
 * authorization. It has one form only, so no two texts are the same voucher.
 */
export interface Voucher {
  /** The authorization, `ath_…`. */
  readonly authorizationId: string
  /** What may be captured in all. */
  readonly amountPaise: Paise
  /** The seller's. */
  readonly nonce: string
}

/** A voucher as it was received, before its signature is checked. */
export interface UncheckedVoucher extends Voucher {
  readonly signed: string
  readonly signature: Uint8Array<ArrayBuffer>
}

const text = new TextEncoder()
const plain = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The only header that a voucher has, encoded. */
const HEADER = base64UrlFromBytes(text.encode('{"alg":"EdDSA","typ":"voucher+jwt"}'))

const AMOUNT = /^(?:0|[1-9][0-9]{0,12})\.[0-9]{2}$/
const MAX_CHARACTERS = 1_024
const SIGNATURE_BYTES = 64

/** The order of the group of Ed25519 (RFC 8032, section 5.1), little-endian. */
const ORDER = Uint8Array.from(
  'edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010'.match(/../g) ?? [],
  byte => Number.parseInt(byte, 16),
)

/** Signs a voucher. */
export async function signVoucher(key: SigningKey, voucher: Voucher): Promise<string> {
  const { authorizationId, amountPaise, nonce } = voucher
  const payload = JSON.stringify({ jti: authorizationId, amount: rupeesText(amountPaise), nonce })
  const signed = `${HEADER}.${base64UrlFromBytes(text.encode(payload))}`
  return `${signed}.${base64UrlFromBytes(await key.sign(text.encode(signed)))}`
}

/** The content of a voucher; null unless it has the only form. Its signature is not checked. */
export function readVoucher(voucher: string): UncheckedVoucher | null {
  if (voucher.length > MAX_CHARACTERS) return null
  const [header, payload = '', last = '', ...others] = voucher.split('.')
  const [content, signature] = [bytesFromBase64Url(payload), bytesFromBase64Url(last)]
  if (header !== HEADER || content === null || signature === null || others.length > 0) return null
  if (signature.length !== SIGNATURE_BYTES || !isReduced(signature)) return null
  const fields = contentIn(content)
  return fields && { ...fields, signed: `${header}.${payload}`, signature }
}

/** Whether the key of an authorization has signed a voucher. */
export async function isSignedBy(verify: Verify, { signed, signature }: UncheckedVoucher): Promise<boolean> {
  return verify(text.encode(signed), signature)
}

/** Writing the content again gives the same text only if it has these names, each once, and nothing else. */
function contentIn(bytes: Uint8Array<ArrayBuffer>): Voucher | null {
  try {
    const written = plain.decode(bytes)
    const { jti, amount, nonce } = Object(JSON.parse(written)) as Partial<Record<string, unknown>>
    if (typeof jti !== 'string' || typeof amount !== 'string' || typeof nonce !== 'string') return null
    if (nonce === '' || !AMOUNT.test(amount) || JSON.stringify({ jti, amount, nonce }) !== written)
      return null
    return { authorizationId: jti, amountPaise: BigInt(amount.replace('.', '')), nonce }
  } catch {
    return null
  }
}

/** Whether the scalar, the second half of a signature, is below the order: otherwise a signature has two forms. */
function isReduced(signature: Uint8Array): boolean {
  for (let index = ORDER.length - 1; index >= 0; index--) {
    const [byte = 0, most = 0] = [signature[SIGNATURE_BYTES / 2 + index], ORDER[index]]
    if (byte !== most) return byte < most
  }
  return false
}
