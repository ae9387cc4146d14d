/** Headers that are lists: entries of other middleware, for CORS above all, are kept. */
const LISTS: ReadonlySet<string> = new Set(['vary', 'access-control-expose-headers'])

/** Whether a header is of other middleware, and holds for any response. */
export function isOfOthers(name: string): boolean {
  return /^(vary|access-control-.*)$/i.test(name)
}

/** The headers to set on a response. `earlier` returns those that are set already. */
export function headersToSet(
  response: { readonly headers: Readonly<Record<string, string>> },
  earlier: (name: string) => number | string | readonly string[] | null | undefined,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(response.headers).map(([name, value]) => {
    const had = LISTS.has(name.toLowerCase()) ? (earlier(name) ?? '') : ''
    return [name, had === '' ? value : `${had.toString()}, ${value}`]
  })
}
