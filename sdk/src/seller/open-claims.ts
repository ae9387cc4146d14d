/** As many as may be lost in an outage; each takes about 300 bytes. */
const MAX_OPEN = 10_000

/**
 * Claims of nonces without a response: the nonce may be consumed under this id, and only the same id gets the response
 * again. Kept in this process, so a repeated proof is served here, although another process would refuse it as used.
 */
export interface OpenClaims {
  /** The id of an open claim; null if there is none. */
  find(key: string): string | null
  keep(key: string, claimId: string, until: number): void
  forget(key: string): void
}

export function createOpenClaims(now: () => number): OpenClaims {
  const open = new Map<string, { readonly claimId: string; readonly until: number }>()
  function dropOutlived(): void {
    for (const [key, { until }] of open) if (until < now()) open.delete(key)
  }
  return {
    find: key => open.get(key)?.claimId ?? null,
    keep(key, claimId, until) {
      open.delete(key)
      if (open.size >= MAX_OPEN) dropOutlived()
      for (const eldest of open.keys()) {
        if (open.size < MAX_OPEN) break
        open.delete(eldest)
      }
      open.set(key, { claimId, until })
    },
    forget(key) {
      open.delete(key)
    },
  }
}
