import { StatementLine } from '@batua/contract'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvHead, csvLines } from './csv.ts'

const [example] = (StatementLine as unknown as { readonly examples: readonly StatementLine[] }).examples
const COLUMNS = Object.keys(StatementLine.properties)

function rowsOf(lines: readonly StatementLine[]): string[][] {
  return parse(csvHead() + csvLines(lines), { bom: true, record_delimiter: '\r\n' })
}

function lineWith(text: string, change = -402): StatementLine {
  if (example === undefined) throw new Error('the contract has an example')
  return { ...example, agent_name: text, counterparty_name: text, reference: text, note: text, change }
}

/** As a spreadsheet decides: the first character that is not empty. */
const RUNS = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u

const hostile = fc
  .tuple(
    fc.constantFrom('', ' ', '\u00A0', '\u200B', '\n', '\t'),
    fc.constantFrom('=', '+', '-', '@', '＝', 'a'),
    fc.string(),
  )
  .map(parts => parts.join(''))

test('no text of a statement is a formula, and every text is there, whatever it is', () => {
  const property = fc.property(fc.oneof(hostile, fc.string({ unit: 'binary' })), text => {
    const [columns, cells = []] = rowsOf([lineWith(text)])
    expect(columns).toEqual(COLUMNS)
    for (const name of ['agent_name', 'counterparty_name', 'reference', 'note']) {
      const cell = cells[COLUMNS.indexOf(name)] ?? ''
      expect(cell).not.toMatch(RUNS)
      expect([text, `'${text}`]).toContain(cell)
    }
  })
  fc.assert(property, { numRuns: 500 })
})

test('amounts are numbers with two decimals, also below zero', () => {
  const [, cells = []] = rowsOf([lineWith('a', -402)])
  expect(cells[COLUMNS.indexOf('change')]).toBe('-402.00')
  expect(cells[COLUMNS.indexOf('amount')]).toBe('400.00')
})

test('a field that a line does not have is an empty cell', () => {
  const [, cells = []] = rowsOf([lineWith('a')])
  expect(cells[COLUMNS.indexOf('utr')]).toBe('')
  expect(cells[COLUMNS.indexOf('reverses')]).toBe('')
})
