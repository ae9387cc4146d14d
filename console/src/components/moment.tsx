import { useFormat } from '../language/language.tsx'
import { useNow } from './use-now.ts'

/** A point in time, in IST. */
export function Moment({ at }: { readonly at: string }) {
  const now = useNow(60_000)
  return (
    <time dateTime={at} className="figures">
      {useFormat().moment(at, now)}
    </time>
  )
}
