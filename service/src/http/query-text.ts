import { AppError } from '../kernel/app-error.ts'

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

const PLAIN_NUMBER = /^-?\d+(?:\.\d{1,2})?$/

/** Refuses what JavaScript would read as a number and no person writes so: ` 1`, `0x10`, digits that a double loses. */
export function checkPlainNumber(name: string, text: unknown): void {
  if (typeof text !== 'string' || PLAIN_NUMBER.test(text)) return
  throw new AppError('validation_error', `${name} must be a number in plain digits, such as 20`, {
    field: name,
  })
}
