import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

const CHECKED_EVERY_MS = 300_000

/**
 * The service's time, which in the sandbox is moved and on a phone may be another than the phone's. It changes every
 * `everyMs`.
 */
export function useNow(everyMs: number): Date {
  const { data: aheadMs = 0 } = useQuery({
    queryKey: ['service clock'],
    queryFn: readAheadMs,
    staleTime: CHECKED_EVERY_MS,
  })
  const [, setTicks] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTicks(ticks => ticks + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return new Date(Date.now() + aheadMs)
}

async function readAheadMs(): Promise<number> {
  const asked = Date.now()
  const response = await fetch('/console/now', { cache: 'no-store' })
  const { now } = (await response.json()) as { readonly now: string }
  return new Date(now).getTime() - (asked + Date.now()) / 2
}
