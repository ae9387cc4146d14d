import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { AppError } from '../../../kernel/app-error.ts'
import { formatId } from '../../../kernel/ids.ts'
import { type Paise, paise } from '../../../kernel/money.ts'
import type { Authorization } from './authorization.ts'

/** The only header that a voucher has, encoded. */
const HEADER = Buffer.from('{"alg":"EdDSA","typ":"voucher+jwt"}').toString('base64url')

const AMOUNT = /^(0|[1-9][0-9]*)\.([0-9]{2})$/

const SIGNATURE_BYTES = 64

/** The order of the group of Ed25519 (RFC 8032, section 5.1). */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

/**
 * The cumulative amount that a voucher was signed for. A voucher has one form only (contract section 12): any other
 * encoding, a further or repeated name, and a signature whose scalar is not reduced are refused, so no two texts are the
 * same voucher. Throws `validation_error`.
 */
export function verifyVoucher(voucher: string, { id, voucherKey }: Authorization): Paise {
  if (voucherKey === null) throw badVoucher('the authorization names no voucher_key')
  const [header, payload, signature, ...others] = voucher.split('.')
  if (header !== HEADER || payload === undefined || signature === undefined || others.length > 0) {
    throw badVoucher('it is not a compact JWS with the header of vouchers')
  }
  const signed = decoded(signature)
  if (signed.length !== SIGNATURE_BYTES || scalarOf(signed) >= ORDER) throw badVoucher(BAD_SIGNATURE)
  const content = contentOf(decoded(payload).toString('utf8'))
  const isSigned = verify(null, Buffer.from(`${header}.${payload}`), publicKeyOf(voucherKey), signed)
  if (!isSigned) throw badVoucher(BAD_SIGNATURE)
  if (content.jti !== formatId('ath', id)) throw badVoucher('it is for another authorization')
  return paise(BigInt(content.amount.replace('.', '')))
}

const BAD_SIGNATURE = 'its signature is not one of the voucher_key'

/** The bytes of unpadded base64url in its only form. */
function decoded(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw badVoucher('its parts are not unpadded base64url')
  return bytes
}

interface VoucherContent {
  readonly jti: string
  readonly amount: string
  readonly nonce: string
}

/** Writing the content again gives the same text only if it has these names, each once, and nothing else. */
function contentOf(text: string): VoucherContent {
  const { jti, amount, nonce }: Partial<Record<string, unknown>> = { ...parsed(text) }
  if (typeof jti !== 'string' || typeof amount !== 'string' || typeof nonce !== 'string' || nonce === '') {
    throw badVoucher(BAD_CONTENT)
  }
  const content = { jti, amount, nonce }
  if (!AMOUNT.test(amount) || JSON.stringify(content) !== text) throw badVoucher(BAD_CONTENT)
  return content
}

const BAD_CONTENT = 'its payload is not {"jti":…,"amount":"12.50","nonce":…} in this order without spaces'

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

/** The second half of a signature, little-endian. */
function scalarOf(signature: Buffer): bigint {
  const bytes = Buffer.from(signature.subarray(SIGNATURE_BYTES / 2).toReversed())
  return BigInt(`0x${bytes.toString('hex')}`)
}

function publicKeyOf(voucherKey: string): KeyObject {
  const x = Buffer.from(voucherKey, 'base64').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

function badVoucher(why: string): AppError {
  return new AppError('validation_error', `This voucher cannot be captured: ${why}`, { field: 'voucher' })
}

/**
 * Refuses a key that is no point of the curve in its only encoding, or has a component of small order: signatures would
 * verify that nobody made with a secret. Throws `validation_error`.
 */
export function requireVoucherKey(voucherKey: string): void {
  if (isSoundKey(Buffer.from(voucherKey, 'base64'))) return
  throw new AppError(
    'validation_error',
    'voucher_key is not a sound Ed25519 public key; make a new key pair and send the base64 of its 32 bytes',
    { field: 'voucher_key' },
  )
}

function isSoundKey(bytes: Buffer): boolean {
  try {
    const point = ed25519.Point.fromBytes(bytes, false)
    return !point.isSmallOrder() && point.isTorsionFree()
  } catch {
    return false
  }
}
