import { useSyncExternalStore } from 'react'

/** What is left of the requests of this minute, as the service's last response said. */
export interface RateLimit {
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
}

let last: RateLimit | null = null
const listeners = new Set<() => void>()

/** Notes the headers of a response; one without them changes nothing. */
export function noteRateLimit(headers: Headers): void {
  const [limit, remaining, resetSeconds] = ['limit', 'remaining', 'reset'].map(name =>
    Number(headers.get(`ratelimit-${name}`) ?? Number.NaN),
  )
  if (!Number.isFinite(limit) || !Number.isFinite(remaining) || !Number.isFinite(resetSeconds)) return
  last = { limit: limit ?? 0, remaining: remaining ?? 0, resetSeconds: resetSeconds ?? 0 }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useRateLimit(): RateLimit | null {
  return useSyncExternalStore(subscribe, () => last)
}
