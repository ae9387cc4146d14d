import { AppError } from './app-error.ts'

/** Integer paise: the only form money takes inside the service. 1 INR = 100 paise. */
export type Paise = bigint & { readonly __unit: 'paise' }

export const ZERO_PAISE = 0n as Paise

export function paise(value: bigint): Paise {
  return value as Paise
}

/**
 * The paise of a JSON number in rupees, or null when it has more than two decimals.
 * A double holds every amount up to 10^11 rupees exactly to the paisa, so the round trip is the proof.
 */
export function paiseFromRupees(rupees: number): Paise | null {
  const rounded = Math.round(rupees * 100)
  if (!Number.isSafeInteger(rounded) || rounded / 100 !== rupees) return null
  return BigInt(rounded) as Paise
}

/** The JSON number for an amount; exact below 2^53 paise (90 trillion rupees). */
export function rupees(amount: bigint): number {
  return Number(amount) / 100
}

/** An amount as a decimal string with two places: `1234.50`. */
export function rupeesText(amount: bigint): string {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** `amount × rate / 10,000`, rounded half up to a paisa. 1 % is 100 basis points. */
export function basisPoints(amount: Paise, points: bigint): Paise {
  return ((amount * points + 5_000n) / 10_000n) as Paise
}

/** The paise of an amount that the schema has bounded. Throws `validation_error` for more than two decimals. */
export function requirePaise(amount: number, field: string): Paise {
  const value = paiseFromRupees(amount)
  if (value !== null) return value
  throw new AppError('validation_error', `${field} must have at most two decimals`, { field })
}
