const SEPARATORS = /[ ().-]/g
const COUNTRY_OR_TRUNK = /^(?:\+91|0091|91(?=\d{10}$)|0)/
const MOBILE = /^[6-9]\d{9}$/

/** The ten digits of an Indian mobile number in any notation; null if it is not one. */
export function normalisePhone(written: string): string | null {
  const digits = written.replace(SEPARATORS, '').replace(COUNTRY_OR_TRUNK, '')
  return MOBILE.test(digits) ? digits : null
}

const PAN = /^[A-Z]{5}\d{4}[A-Z]$/
const ASCII = /^[\x20-\x7e]*$/

/** A permanent account number (PAN) in upper case; null if it does not have that format. */
export function normalisePan(written: string): string | null {
  // Some letters outside ASCII have an ASCII capital and would be accepted after upper-casing.
  if (!ASCII.test(written)) return null
  const pan = written.toUpperCase()
  return PAN.test(pan) ? pan : null
}

/** `ABCDE1234F` as `ABCxxxxx4F`. */
export function maskPan(pan: string): string {
  return `${pan.slice(0, 3)}xxxxx${pan.slice(8)}`
}

const BANK_ACCOUNT = /^\d{9,18}$/
const IFSC = /^[A-Z]{4}0[A-Z0-9]{6}$/

export function isBankAccount(written: string): boolean {
  return BANK_ACCOUNT.test(written)
}

/** The code of an Indian bank branch (IFSC) in upper case; null if it does not have that format. */
export function normaliseIfsc(written: string): string | null {
  if (!ASCII.test(written)) return null
  const ifsc = written.toUpperCase()
  return IFSC.test(ifsc) ? ifsc : null
}
