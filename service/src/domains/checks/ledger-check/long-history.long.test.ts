import { expect } from 'vitest'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import { paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { FOLDED_BACK_MS, SYSTEM, type Transfer } from '../../../ledger/index.ts'
import { insertBatch } from '../../../ledger/transfers.ts'
import { insertAgent } from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import { CHECKED_TRANSFERS, CHECKED_WALLETS } from '../../../testing/knobs.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { checkNextSlice } from './check-ledger.ts'
import { faultsOf, foldAll, testContext, wholeRound } from './testing/stage.ts'

const AT_ONCE = 5_000
const MEGABYTE = 1024 * 1024
const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let wallet: Uuid

test.beforeAll(async () => {
  wallet = await insertAgent(database, clock.now())
  for (let made = 0; made < CHECKED_TRANSFERS; made += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, index) => step(made + index + 1))
    await insertBatch(database, TEST_VAULT, batch)
  }
  await database.query(
    `update accounts set sequence = $2, balance_paise = $2, total_funded_paise = $2, last_posted_ms = $3 where id = $1`,
    [wallet, BigInt(CHECKED_TRANSFERS), clock.now().getTime()],
  )
  await database.query(
    `insert into accounts (id, last_posted_ms, last_spent_ms, hour_from_ms, day_from_ms, ist_day)
     select gen_random_uuid(), 0, 0, 0, 0, 0 from generate_series(1, $1::int4)`,
    [CHECKED_WALLETS],
  )
  clock.advance(FOLDED_BACK_MS + 1)
  await foldAll(database, clock.now())
}, 900_000)

/** One more paisa for the wallet. */
function step(sequence: number): Transfer {
  return {
    id: newUuid(clock.now()),
    kind: 'fund',
    debitAccount: SYSTEM.gateway,
    creditAccount: wallet,
    amountPaise: paise(1n),
    feePaise: ZERO_PAISE,
    debitBalancePaise: null,
    creditBalancePaise: paise(BigInt(sequence)),
    debitSequence: null,
    creditSequence: BigInt(sequence),
    postedAt: clock.now(),
    linkedId: null,
    idempotencyKey: null,
    reference: null,
    note: null,
  }
}

test('a round over many wallets and a very long history is cheap and ends within an hour', async () => {
  const context = testContext(database, clock)
  await checkNextSlice(context)
  globalThis.gc?.()
  const memoryBefore = process.memoryUsage().rss
  const [startedMs, cpuBefore] = [performance.now(), process.cpuUsage()]
  const slices = await wholeRound(context)
  const ms = performance.now() - startedMs
  const cpu = process.cpuUsage(cpuBefore)
  expect(await faultsOf(database)).toEqual([])
  const figures = {
    slices,
    msPerSlice: ms / slices,
    cpuMsPerSlice: (cpu.user + cpu.system) / 1_000 / slices,
    grownMb: (process.memoryUsage().rss - memoryBefore) / MEGABYTE,
  }
  console.log(figures)
  const pausesMs = slices * 300
  expect(pausesMs + ms).toBeLessThan(3_600_000)
  expect(figures.grownMb).toBeLessThan(200)
})
