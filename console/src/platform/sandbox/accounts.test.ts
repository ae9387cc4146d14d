import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAID_ACCOUNTS, VERIFIED_ACCOUNTS } from './accounts.ts'

const page = readFileSync(new URL('../../../../docs/sandbox.md', import.meta.url), 'utf8')

/** The first column of the table below a heading. */
function firstColumn(heading: string): string[] {
  const [, section = ''] = page.split(`## ${heading}\n`)
  const [table = ''] = section.split('\n## ')
  return [...table.matchAll(/^\| (\d+) \|/gm)].map(([, account = '']) => account)
}

test('the panel lists every bank account of the page about the sandbox, and no other', () => {
  expect(VERIFIED_ACCOUNTS).toEqual(firstColumn('Bank accounts that are verified'))
  expect(PAID_ACCOUNTS).toEqual(firstColumn('Bank accounts that payouts go to'))
})
