import type { SellerAnswer } from '../seller/options.ts'

/** Headers that are lists: entries of other middleware, for CORS above all, are kept. */
const LISTS: ReadonlySet<string> = new Set(['vary', 'access-control-expose-headers'])

/** The headers to set on a response. `earlier` returns those that are set already. */
export function headersToSet(
  answer: SellerAnswer,
  earlier: (name: string) => number | string | readonly string[] | null | undefined,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(answer.headers).map(([name, value]) => {
    const had = LISTS.has(name.toLowerCase()) ? (earlier(name) ?? '') : ''
    return [name, had === '' ? value : `${had.toString()}, ${value}`]
  })
}
