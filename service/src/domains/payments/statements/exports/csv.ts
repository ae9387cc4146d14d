import { StatementLine } from '@batua/contract'
import { stringify } from 'csv-stringify/sync'

/** The columns are the fields of a line, in the order of the contract. */
const COLUMNS = Object.keys(StatementLine.properties)

/** Excel takes a file without this mark for the code page of the machine, and shows no ₹ and no Devanagari. */
const BYTE_ORDER_MARK = '\u{FEFF}'

/** Some spreadsheets skip what looks empty, and take what follows for a formula. */
const HIDDEN_FORMULA = /^[\s\p{Cf}]+[=+\-@＝＋－＠]/u

/** The names of the columns. */
export function csvHead(): string {
  return BYTE_ORDER_MARK + rows([COLUMNS])
}

export function csvLines(lines: readonly StatementLine[]): string {
  return rows(lines.map(line => COLUMNS.map(column => line[column as keyof StatementLine])))
}

function rows(records: readonly (readonly (string | number | null | undefined)[])[]): string {
  return stringify(records as (string | number | null | undefined)[][], {
    record_delimiter: '\r\n',
    // An apostrophe before text that begins like a formula; numbers stay numbers.
    escape_formulas: true,
    cast: {
      number: value => value.toFixed(2),
      string: value => (HIDDEN_FORMULA.test(value) || value.startsWith('\n') ? `'${value}` : value),
    },
  })
}
