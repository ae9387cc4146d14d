import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { ServiceKeys } from '@batua/contract'

/** Whether the service signed this: Ed25519 over its canonical JSON, by the published key that it names. */
export function isSigned(
  content: { readonly key_id: string },
  signature: string,
  document: ServiceKeys,
): boolean {
  const key = document.keys.find(({ key_id }) => key_id === content.key_id)
  if (key === undefined) return false
  return verify(
    null,
    Buffer.from(canonical(content)),
    publicKeyOf(key.public_key),
    Buffer.from(signature, 'base64'),
  )
}

export function publicKeyOf(base64: string): KeyObject {
  const x = Buffer.from(base64, 'base64').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

/** RFC 8785: names sorted, at every depth; the rest is what JSON.stringify does. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    part === null || typeof part !== 'object' || Array.isArray(part)
      ? part
      : Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  )
}
