import { createPublicKey, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'

/**
 * A verifier that uses only the published keys and no code of the service: RFC 8785 by its package, Ed25519 by
 * node:crypto, tokens by a JOSE library.
 */
export function isSignedBy(publicKey: string, content: object, signature: Uint8Array): boolean {
  const raw = Buffer.from(publicKey, 'base64')
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  return verify(null, Buffer.from(canonicalize(content) ?? ''), key, signature)
}

/** Rejects unless the token is valid at that moment and of that kind. */
export async function verifyToken(jwks: JSONWebKeySet, token: string, typ: string, now: Date) {
  return jwtVerify(token, createLocalJWKSet(jwks), {
    typ,
    issuer: 'batua',
    algorithms: ['EdDSA'],
    currentDate: now,
  })
}

/** The content without some of its fields. */
export function without(content: object, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(content).filter(([name]) => !fields.includes(name)))
}

/** The bytes with each one flipped in turn. */
export function flippedOnce(bytes: Buffer): Buffer[] {
  return [...bytes.keys()].map(index => {
    const flipped = Buffer.from(bytes)
    flipped[index] = (flipped[index] ?? 0) ^ 1
    return flipped
  })
}

/** The token with each character of its first two parts, and each byte of its signature, changed in turn. */
export function changedOnce(token: string): string[] {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const signed = `${header}.${payload}`
  const texts = signed.split('').map((character, index) => {
    const other = character === 'A' ? 'B' : 'A'
    return `${signed.slice(0, index)}${other}${signed.slice(index + 1)}.${signature}`
  })
  const signatures = flippedOnce(Buffer.from(signature, 'base64url'))
  return [...texts, ...signatures.map(flipped => `${signed}.${flipped.toString('base64url')}`)]
}
