import type { NonceStore } from './nonce-store.ts'

/** How many old entries a claim checks: more than it adds, so that the store shrinks by itself. */
const SWEPT_PER_CLAIM = 4

/** Used nonces of one process: for a seller that runs once. A restart forgets them, and they can be used again. */
export function memoryNonceStore(now: () => number = Date.now): NonceStore {
  const used = new Map<string, { readonly claimId: string; readonly expiresAt: number }>()

  /** A map is in order of insertion; with equal lifetimes the oldest expire first. */
  function sweep(): void {
    let looks = SWEPT_PER_CLAIM
    for (const [nonce, entry] of used) {
      if (looks-- === 0) return
      used.delete(nonce)
      if (entry.expiresAt > now()) used.set(nonce, entry)
    }
  }
  return {
    async claim(nonce, expiresAt, claimId) {
      const before = used.get(nonce)
      if (before !== undefined) return before.claimId === claimId
      sweep()
      used.set(nonce, { claimId, expiresAt: expiresAt.getTime() })
      return true
    },
    async release(nonce, claimId) {
      if (used.get(nonce)?.claimId === claimId) used.delete(nonce)
    },
  }
}
