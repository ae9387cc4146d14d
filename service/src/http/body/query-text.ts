import { AppError } from '../../kernel/app-error.ts'

/** Refuses a query whose percent-encoding is broken or no UTF-8: the parser would take such text as it stands. */
export function checkQueryEncoding(url: string): void {
  const start = url.indexOf('?')
  if (start === -1 || !url.includes('%', start)) return
  try {
    decodeURIComponent(url.slice(start))
  } catch {
    throw new AppError('validation_error', 'The query is not valid; check its percent-encoding')
  }
}

const PLAIN = {
  integer: { form: /^-?\d+$/, need: 'a whole number in plain digits, such as 20' },
  number: {
    form: /^-?\d+(?:\.\d{1,2})?$/,
    need: 'a number in plain digits with at most two decimals, such as 20 or 20.50',
  },
} as const

export type PlainNumber = keyof typeof PLAIN

/**
 * Refuses what JavaScript would read as a number and no person writes so: ` 1`, `0x10`, digits that a double loses, and
 * so many digits that they are read as Infinity, which passes every maximum of a schema.
 */
export function checkPlainNumber(name: string, text: unknown, kind: PlainNumber): void {
  const { form, need } = PLAIN[kind]
  if (typeof text !== 'string' || (form.test(text) && Number.isFinite(Number(text)))) return
  throw new AppError('validation_error', `${name} must be ${need}`, { field: name })
}
