import type { Vault } from '../../kernel/secrets.ts'

/** The key of a row of idempotent_requests. */
export interface UseName {
  readonly credential: string
  readonly key: string
  readonly createdAt: Date
}

/** The name of a caller without a credential: a keyed digest of the client address. */
export function strangerName(vault: Vault, address: string): string {
  return `public:${vault.blindIndex(address, 'idempotent_requests.credential').toString('base64url')}`
}

/**
 * The fingerprint that shows whether a repetition is the same request. Keyed, because a reader of the table could
 * otherwise try every PAN; bound to the row, so that equal requests of two callers have different fingerprints.
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

/** Binds a stored response to its row, so that it cannot be moved to another row or another use of the key. */
function responseContext({ credential, key, createdAt }: UseName): string {
  return `idempotent_requests.response ${credential} ${createdAt.toISOString()} ${key}`
}
