import type { SellerAnswer } from '../seller/options.ts'

/** Headers that are lists: what other middleware has put in, for CORS above all, is kept. */
const LISTS: ReadonlySet<string> = new Set(['vary', 'access-control-expose-headers'])

/** The headers of an answer as they are to be set. `earlier` tells what is set already. */
export function headersToSet(
  answer: SellerAnswer,
  earlier: (name: string) => number | string | readonly string[] | null | undefined,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(answer.headers).map(([name, value]) => {
    const had = LISTS.has(name.toLowerCase()) ? (earlier(name) ?? '') : ''
    return [name, had === '' ? value : `${had.toString()}, ${value}`]
  })
}
