import { builtIn } from './built-in.ts'

type Bytes = Uint8Array<ArrayBuffer>
type Awaitable<T> = T | Promise<T>

/** SHA-256, and HMAC-SHA-256 under a key. */
export interface Hashes {
  sha256(bytes: Bytes): Awaitable<Bytes>
  mac(key: Bytes): Awaitable<Mac>
}

export type Mac = (message: Bytes) => Awaitable<Bytes>

/** Web Crypto, which every platform has. It uses another thread, which costs many times a short hash. */
export const webHashes: Hashes = {
  sha256: async bytes => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)),
  async mac(key) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
    return async message => new Uint8Array(await crypto.subtle.sign('HMAC', imported, message))
  },
}

/** The used part of `node:crypto`. */
interface NodeCrypto {
  readonly createHash: (name: 'sha256') => NodeHash
  readonly createHmac: (name: 'sha256', key: Bytes) => NodeHash
}

interface NodeHash {
  update(bytes: Bytes): NodeHash
  digest(): Bytes
}

/** Longer data is hashed by the other thread, because this one handles requests. */
const MAX_BYTES_AT_ONCE = 65_536

/** The synchronous hashes of Node, Deno and Bun; null elsewhere, and where Node is only imitated. */
export function nodeHashes(): Hashes | null {
  const { createHash, createHmac } = builtIn<NodeCrypto>('node:crypto') ?? {}
  if (typeof createHash !== 'function' || typeof createHmac !== 'function') return null
  return {
    sha256: bytes =>
      bytes.byteLength > MAX_BYTES_AT_ONCE
        ? webHashes.sha256(bytes)
        : createHash('sha256').update(bytes).digest(),
    mac: key => message => createHmac('sha256', key).update(message).digest(),
  }
}

/** The fastest hashes of this platform. */
export const hashes = nodeHashes() ?? webHashes
