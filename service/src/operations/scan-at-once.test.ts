import { expect, test } from 'vitest'
import { MOST_FINDINGS, scanAtOnce } from './scan.ts'

const SLICES = 1_000
const EACH = 100

/** Every slice of the round finds a fault in each of its rows. */
async function damagedSlice(cursor: number | null) {
  const from = cursor ?? 0
  const findings = Array.from({ length: EACH }, (_, row) => ({
    subject: `transfers/${from * EACH + row}`,
    kind: 'altered',
    detail: 'its MAC is not that of the row',
  }))
  return { next: from + 1 < SLICES ? from + 1 : null, findings }
}

test('a check of a database that is damaged in every row ends, and keeps a bounded number of findings', async () => {
  const { findings } = await scanAtOnce(damagedSlice)
  expect(findings).toHaveLength(MOST_FINDINGS)
})
