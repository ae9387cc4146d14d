import { base64FromBytes, base64UrlFromBytes, bytesFromBase64 } from './base64.ts'
import { builtIn } from './built-in.ts'

type Bytes = Uint8Array<ArrayBuffer>
type Awaitable<T> = T | Promise<T>

/** Whether a signature over a message is one of a key. */
export type Verify = (message: Bytes, signature: Bytes) => Awaitable<boolean>

/** A key pair of which the secret half never leaves this process. */
export interface SigningKey {
  /** Base64 of the 32 bytes of the public key. */
  readonly publicKey: string
  sign(message: Bytes): Awaitable<Bytes>
}

/** Ed25519 (RFC 8032). Both functions reject if the platform does not have it. */
export interface Ed25519 {
  /** The key pair of a secret of 32 bytes. */
  keyOf(secret: Bytes): Promise<SigningKey>
  /** For a public key of 32 bytes as base64url or base64; null if it is none. The key is imported once. */
  verifier(publicKey: string): Promise<Verify | null>
}

const ALGORITHM = { name: 'Ed25519' }
const KEY_BYTES = 32

/** A secret in the form of PKCS 8 (RFC 8410). */
function privateKeyBytes(secret: Bytes): Bytes {
  const prefix = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, KEY_BYTES]
  return Uint8Array.of(...prefix, ...secret)
}

/** Web Crypto, which every platform has. It uses another thread. */
export const webEd25519: Ed25519 = {
  async keyOf(secret) {
    const key = await crypto.subtle.importKey('pkcs8', privateKeyBytes(secret), ALGORITHM, true, ['sign'])
    const { x } = await crypto.subtle.exportKey('jwk', key)
    const sign = async (message: Bytes) => new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, message))
    return { publicKey: base64Of(x), sign }
  },
  async verifier(publicKey) {
    const bytes = keyBytes(publicKey)
    if (bytes === null) return null
    const key = await crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['verify'])
    return (message, signature) => crypto.subtle.verify(ALGORITHM, key, signature, message)
  },
}

/** The used part of `node:crypto`. Its keys are opaque. */
interface NodeSignatures {
  readonly createPrivateKey: (from: {
    readonly format: 'der'
    readonly type: 'pkcs8'
    readonly key: Bytes
  }) => { export(options: { readonly format: 'jwk' }): { readonly x: string } }
  readonly createPublicKey: (from: { readonly format: 'jwk'; readonly key: object }) => object
  readonly sign: (algorithm: null, message: Bytes, key: object) => Bytes
  readonly verify: (algorithm: null, message: Bytes, key: object, signature: Bytes) => boolean
}

/** The synchronous signatures of Node, Deno and Bun; null elsewhere, and where Node is only imitated. */
export function nodeEd25519(): Ed25519 | null {
  const { createPrivateKey, createPublicKey, sign, verify } = builtIn<NodeSignatures>('node:crypto') ?? {}
  if (createPrivateKey === undefined || createPublicKey === undefined) return null
  if (sign === undefined || verify === undefined) return null
  return {
    async keyOf(secret) {
      const key = createPrivateKey({ format: 'der', type: 'pkcs8', key: privateKeyBytes(secret) })
      const { x } = key.export({ format: 'jwk' })
      return { publicKey: base64Of(x), sign: message => sign(null, message, key) }
    },
    async verifier(publicKey) {
      const bytes = keyBytes(publicKey)
      if (bytes === null) return null
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64UrlFromBytes(bytes) }
      const key = createPublicKey({ format: 'jwk', key: jwk })
      return (message, signature) => verify(null, message, key, signature)
    },
  }
}

function base64Of(base64Url: string | undefined): string {
  return base64FromBytes(bytesFromBase64(base64Url ?? '') ?? new Uint8Array())
}

function keyBytes(publicKey: string): Bytes | null {
  const bytes = bytesFromBase64(publicKey)
  return bytes?.length === KEY_BYTES ? bytes : null
}

/** The fastest Ed25519 of this platform. */
export const ed25519 = nodeEd25519() ?? webEd25519
