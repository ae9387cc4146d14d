import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { canonicalJson } from '@batua/verification/signatures'
import { SignJWT } from 'jose'

export { canonicalJson, publicKeyFromRaw, verifyObject } from '@batua/verification/signatures'

/** An Ed25519 key pair: the public key as the base64 of its 32 raw bytes, the private key as PKCS#8 PEM. */
export interface KeyPair {
  readonly publicKey: string
  readonly privateKeyPem: string
}

const RAW_KEY_BYTES = 32

export function newKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    publicKey: rawPublicKey(publicKey),
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
}

function rawPublicKey(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).subarray(-RAW_KEY_BYTES).toString('base64')
}

export function privateKeyFromPem(pem: string): KeyObject {
  return createPrivateKey(pem)
}

/** Ed25519 over the canonical JSON of `value`, base64. The same value and key give the same signature. */
export function signObject(value: object, privateKey: KeyObject): string {
  return sign(null, Buffer.from(canonicalJson(value)), privateKey).toString('base64')
}

/** The claims and header of a token besides its content. */
export interface TokenTerms {
  /** Its kind, so that it is never taken for another object that the same key signs (RFC 8725, section 3.11). */
  readonly typ: string
  readonly keyId: string
  readonly issuer: string
  readonly issuedAt: Date
  readonly expiresAt?: Date
  readonly id?: string
}

/** The content as a compact EdDSA JWT (RFC 7519, RFC 8037). The same content and key give the same token. */
export function signToken(content: object, terms: TokenTerms, privateKey: KeyObject): Promise<string> {
  const { typ, keyId, issuer, issuedAt, expiresAt, id } = terms
  const token = new SignJWT({ ...content })
    .setProtectedHeader({ alg: 'EdDSA', kid: keyId, typ })
    .setIssuer(issuer)
    .setIssuedAt(issuedAt)
  if (expiresAt !== undefined) token.setExpirationTime(expiresAt)
  if (id !== undefined) token.setJti(id)
  return token.sign(privateKey)
}
