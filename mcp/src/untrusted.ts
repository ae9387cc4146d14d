/** The fields of a statement that other people wrote. */
export const WRITTEN_IN_STATEMENTS = ['reference', 'note', 'counterparty_name']
/** The fields of a receipt that other people wrote. */
export const WRITTEN_IN_RECEIPTS = ['reference', 'note', 'from_handle', 'to_handle']

/** JSON pointers (RFC 6901) to the texts in a result whose fields have one of these names, at any depth. */
export function pointersTo(names: readonly string[], result: object): string[] {
  const found: string[] = []
  if (names.length > 0) collect(new Set(names), result, '', false, found)
  return found
}

/** `isInside`: the value belongs to a field that others wrote. */
function collect(
  names: ReadonlySet<string>,
  value: unknown,
  pointer: string,
  isInside: boolean,
  found: string[],
): void {
  if (typeof value === 'string') {
    if (isInside && value !== '') found.push(pointer)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    collect(names, inner, `${pointer}/${escaped(name)}`, isInside || names.has(name), found)
  }
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
