import { type Paise, rupeesText } from '../../kernel/money.ts'

/** Newer than the types of the language that the compiler knows. */
declare global {
  interface JSON {
    /** Something that `stringify` writes as this very text. */
    rawJSON(text: string): unknown
  }
}

/** An amount as a JSON number with two decimals, written from its digits: `1000.50`. */
export function rupeesJson(amount: Paise): unknown {
  return JSON.rawJSON(rupeesText(amount))
}
