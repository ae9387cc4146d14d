import { createPublicKey, verify } from 'node:crypto'
import type { Receipt, ServiceKeys } from '@batua/contract'

/**
 * Whether a receipt is what the service signed: Ed25519 over its canonical JSON (RFC 8785) without `signature` and
 * `token`, by a key of the published document. Written with nothing but Node, to show how little it takes.
 */
export function isGenuine(receipt: Receipt, document: ServiceKeys): boolean {
  const { signature, token: _token, ...content } = receipt
  const key = document.keys.find(({ key_id }) => key_id === receipt.key_id)
  if (key === undefined) return false
  const x = Buffer.from(key.public_key, 'base64').toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, Buffer.from(canonical(content)), publicKey, Buffer.from(signature, 'base64'))
}

/** A receipt is flat, so sorting its names is all that RFC 8785 asks beyond what JSON.stringify does. */
function canonical(content: object): string {
  return JSON.stringify(content, Object.keys(content).toSorted())
}
