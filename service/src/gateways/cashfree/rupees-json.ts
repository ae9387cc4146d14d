import { type Paise, rupeesText } from '../../kernel/money.ts'

/** Newer than the compiler's types of the language. */
declare global {
  interface JSON {
    /** A value that `stringify` writes as exactly this text. */
    rawJSON(text: string): unknown
  }
}

/** An amount as a JSON number with two decimals, written from its digits: `1000.50`. */
export function rupeesJson(amount: Paise): unknown {
  return JSON.rawJSON(rupeesText(amount))
}
