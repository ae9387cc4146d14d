import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAID_ACCOUNTS, VERIFIED_ACCOUNTS } from './accounts.ts'
import { FUNDING_AMOUNTS, PAYOUT_AMOUNTS, UPI_IDS } from './scenarios.ts'

const page = readFileSync(new URL('../../../../docs/sandbox.md', import.meta.url), 'utf8')

/** The first column of the table below a heading. */
function firstColumn(heading: string): string[] {
  const [, section = ''] = page.split(`## ${heading}\n`)
  const [table = ''] = section.split('\n## ')
  return [...table.matchAll(/^\| (?:`(\S+@\S+)`|(\d+)) \|/gm)].map(([, id, number]) => id ?? number ?? '')
}

test('the panel lists every bank account of the page about the sandbox, and no other', () => {
  expect(VERIFIED_ACCOUNTS).toEqual(firstColumn('Bank accounts that are verified'))
  expect(PAID_ACCOUNTS).toEqual(firstColumn('Bank accounts that payouts go to'))
})

test('the panel lists every special amount and every UPI id of that page, and no other', () => {
  expect(FUNDING_AMOUNTS).toEqual(firstColumn('Amounts that make the gateway’s API fail'))
  expect(PAYOUT_AMOUNTS).toEqual(firstColumn('Amounts that make the payout API fail'))
  expect(UPI_IDS).toEqual(firstColumn('UPI ids'))
})
