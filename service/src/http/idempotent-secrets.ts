import type { Vault } from '../kernel/secrets.ts'

/** Which row of idempotent_requests something belongs to. */
export interface UseName {
  readonly credential: string
  readonly key: string
  readonly createdAt: Date
}

/** The name of a caller who has no credential: a keyed digest of the client's address, which nobody reads back. */
export function strangerName(vault: Vault, address: string): string {
  return `public:${vault.blindIndex(address, 'idempotent_requests.credential').toString('base64url')}`
}

/**
 * What tells whether a repetition is the same request. Keyed, because whoever can read the table could otherwise try
 * every PAN; bound to the row, so that equal requests of two callers do not look equal.
 */
export function keyedFingerprint(
  vault: Vault,
  { credential, key }: Pick<UseName, 'credential' | 'key'>,
  digest: Buffer,
): Buffer {
  const text = `${credential}\0${key}\0${digest.toString('hex')}`
  return vault.blindIndex(text, 'idempotent_requests.fingerprint')
}

export function encryptResponse(vault: Vault, use: UseName, response: string): Buffer {
  return vault.encrypt(response, responseContext(use))
}

export function decryptResponse(vault: Vault, use: UseName, encrypted: Buffer): string {
  return vault.decrypt(encrypted, responseContext(use))
}

/** An answer cannot be put into another row, or kept for another request with the same key. */
function responseContext({ credential, key, createdAt }: UseName): string {
  return `idempotent_requests.response ${credential} ${createdAt.toISOString()} ${key}`
}
