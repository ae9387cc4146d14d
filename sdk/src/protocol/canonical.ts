/** RFC 8785 canonical JSON of parsed JSON: the signed text of every signature of the service. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`).join(',')}}`
}

/** A value as JSON has it: dates become texts, and large integers digits. Throws a TypeError if it has no JSON. */
export function plainJson(value: unknown): unknown {
  const text = JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'bigint' ? each.toString() : each,
  )
  return JSON.parse(text)
}
