/** Sums use whole paise, because adding decimals would not be exact. */
export function paise(inr: number): bigint {
  return BigInt(Math.round(inr * 100))
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

/** `123450n` is `1,234.50`. */
export function inPaise(amount: bigint): string {
  const sign = amount < 0n ? '-' : ''
  const digits = String(amount < 0n ? -amount : amount).padStart(3, '0')
  const whole = digits.slice(0, -2).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return `${sign}${whole}.${digits.slice(-2)}`
}

export function inr(amount: number): string {
  return inPaise(paise(amount))
}
