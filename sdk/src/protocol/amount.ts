/** Whole paise. Internally, money is never a float. */
export type Paise = bigint

/** An amount of the caller: INR as a number (`12.5`) or a decimal string (`'12.50'`), at most two decimals. */
export type Rupees = number | string

/** The format of an amount in the headers (interface section 4, Pay-per-call). */
const DECIMAL = /^([0-9]{1,11})(?:\.([0-9]{1,2}))?$/

/** The maximum amount of the service: 10,000,000,000 INR. */
const MAX_PAISE = 1_000_000_000_000n

/** INR to paise, exactly; a RangeError unless it is an amount from 0 to 10,000,000,000 with at most two decimals. */
export function paiseFromRupees(rupees: Rupees): Paise {
  const paise = typeof rupees === 'number' ? paiseOfNumber(rupees) : paiseOfText(rupees)
  if (paise === null || paise > MAX_PAISE) throw new RangeError(notAnAmount(rupees))
  return paise
}

/** Paise as the wire's decimal string, always with two decimals: `12.50`. */
export function rupeesText(paise: Paise): string {
  const sign = paise < 0n ? '-' : ''
  const digits = (paise < 0n ? -paise : paise).toString().padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Paise as a JSON number for the service: `12.5`. Exact for every amount in range. */
export function rupeesNumber(paise: Paise): number {
  return Number(paise) / 100
}

/** A double holds every amount in range exactly to the paisa, so the round trip is the proof. */
function paiseOfNumber(rupees: number): Paise | null {
  const rounded = Math.round(rupees * 100)
  if (!Number.isSafeInteger(rounded) || rounded < 0 || rounded / 100 !== rupees) return null
  return BigInt(rounded)
}

/** For callers without types: only a string is accepted. */
function paiseOfText(rupees: unknown): Paise | null {
  const parts = typeof rupees === 'string' ? DECIMAL.exec(rupees) : null
  if (parts === null) return null
  const [, whole = '', part = ''] = parts
  return BigInt(whole + part.padEnd(2, '0'))
}

function notAnAmount(rupees: unknown): string {
  const shown = typeof rupees === 'string' ? JSON.stringify(rupees.slice(0, 40)) : String(rupees)
  return `${shown} is no amount: INR from 0 to 10,000,000,000, with at most two decimals`
}
