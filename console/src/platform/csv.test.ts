import { expect, test } from 'vitest'
import { csvOf } from './csv.ts'

test('records become lines with a column for each field of any of them', () => {
  const rows = [
    { id: 'txn_1', amount: 10.5, note: null },
    { id: 'txn_2', amount: -3, payment: { id: 'pay_1' } },
  ]
  expect(csvOf(rows)).toBe('id,amount,note,payment\r\ntxn_1,10.5,,\r\ntxn_2,-3,,"{""id"":""pay_1""}"\r\n')
})

test('no text is a formula for a spreadsheet, and no text ends its cell', () => {
  const rows = [{ a: '=HYPERLINK("x")', b: '-1', c: '@x', d: 'one\r\ntwo', e: 'a,b', f: '\t=1' }]
  expect(csvOf(rows).split('\r\n').slice(1).join('\r\n')).toBe(
    `"'=HYPERLINK(""x"")",'-1,'@x,"one\r\ntwo","a,b",'\t=1\r\n`,
  )
})
