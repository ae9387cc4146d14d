/** The median; of an even number of values the mean of the two in the middle. NaN if there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  if (!Number.isInteger(middle)) return upper
  return (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** The value that this share of the values does not exceed. NaN if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** A number as text: `12,345` or, with places, `1.24`. A dash if it was not measured. */
export function figure(value: number, places = 0): string {
  if (!Number.isFinite(value)) return '–'
  return value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places })
}

const MIB = 1024 * 1024

export function mebibytes(bytes: number): string {
  return `${figure(bytes / MIB)} MiB`
}
