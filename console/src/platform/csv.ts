/** The records of a list as CSV (RFC 4180), with a column for each field in the order in which fields appear. */
export function csvOf(rows: readonly object[]): string {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const lines = rows.map(row => {
    const values = new Map(Object.entries(row))
    return columns.map(column => cell(values.get(column)))
  })
  return [columns.map(cell), ...lines].map(cells => `${cells.join(',')}\r\n`).join('')
}

/** What spreadsheets take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // An apostrophe makes it a text again, as in the statements of the service.
  const shown = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
}
