import { useFormat } from '../language/language.tsx'
import { useNow } from './use-now.ts'

const HOUR_MS = 3_600_000

/** How long it is until a point in time; nothing once it has passed. */
export function Countdown({ until }: { readonly until: string }) {
  const format = useFormat()
  const end = new Date(until).getTime()
  const isSoon = end - Date.now() < HOUR_MS
  const left = end - useNow(isSoon ? 1_000 : 30_000).getTime()
  return <span className="figures">{format.duration(left)}</span>
}
