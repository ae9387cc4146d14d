import { AppError } from './app-error.ts'
import { type Paise, paiseFromRupees } from './money.ts'

/** The paise of an amount that the schema has bounded. Throws `validation_error` for more than two decimals. */
export function requirePaise(amount: number, field: string): Paise {
  const value = paiseFromRupees(amount)
  if (value !== null) return value
  throw new AppError('validation_error', `${field} must have at most two decimals`, { field })
}
