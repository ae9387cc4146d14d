import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError } from '../../kernel/app-error.ts'
import { PROOF_LENGTH } from '../../testing/knobs.ts'
import { type MacRowsStage, openMacRowsStage } from '../../testing/mac-rows.ts'
import type { LedgerCheckContext } from './context.ts'
import { checkNextSlice } from './ledger-check/check-ledger.ts'
import { testContext, wholeRound } from './ledger-check/testing/stage.ts'
import { CHECKED_TABLES } from './row-macs.ts'

const LOAD_MS = 2_500 * PROOF_LENGTH

let stage: MacRowsStage
let context: LedgerCheckContext

beforeAll(async () => {
  stage = await openMacRowsStage()
  context = { ...testContext(stage.world.db.database, stage.world.clock), tables: CHECKED_TABLES }
})
afterAll(() => stage.close())

test('rows that the service changes at the same time are never taken for altered ones', async () => {
  const { world, acts } = stage
  const until = Date.now() + LOAD_MS
  const isOver = () => Date.now() > until
  const acting = Array.from({ length: 4 }, async () => {
    let done = 0
    while (!isOver()) {
      const act = acts[Math.floor(Math.random() * acts.length)]
      // What is done at once may refuse one another, as states and roles do.
      await act?.().catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
      })
      done++
    }
    return done
  })
  const checking = [1, 2].map(async () => {
    let slices = 0
    while (!isOver()) {
      await world.db.database.query(`update scans set started_at = null where name = 'ledger check'`)
      const limits = slices % 5 < 3 ? { rows: 40, wallets: 7 } : { rows: 2_000, wallets: 500 }
      await checkNextSlice(context, limits)
      slices++
    }
    return slices
  })
  const counts = await Promise.all([...acting, ...checking])
  await wholeRound(context)
  const faults = await world.db.database.query(
    `select subject, detail from scan_findings where kind = 'altered_row'`,
  )
  expect(faults).toEqual([])
  expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(100)
}, 120_000)
