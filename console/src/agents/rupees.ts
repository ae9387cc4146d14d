/** Rupees with at most two decimals. */
const RUPEES = /^\d{1,10}(?:\.\d{1,2})?$/

/** The amount in a text, with the commas and signs of India or without; null: the text is no amount. */
export function rupeesIn(written: string): number | null {
  const text = written.replaceAll(/[,\s₹]/g, '')
  return RUPEES.test(text) ? Number(text) : null
}
