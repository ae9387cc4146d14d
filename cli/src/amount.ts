import { InvalidArgumentError } from 'commander'

const AMOUNT = /^(?:0|[1-9]\d{0,10})(?:\.\d{1,2})?$/

/** An amount in INR as the service takes it: exact to the paisa. */
export function amountFrom(text: string): number {
  if (!AMOUNT.test(text)) throw new InvalidArgumentError('It must be an amount in INR, such as 12.50.')
  return Number(text)
}

/** A whole number from 0 on. */
export function wholeNumberFrom(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
