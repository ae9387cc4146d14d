import { expect } from 'vitest'
import { newUuid } from '../../kernel/ids.ts'
import { paise, ZERO_PAISE } from '../../kernel/money.ts'
import type { Transfer } from '../../ledger/index.ts'
import { LedgerBatch } from '../../ledger/ledger-batch.ts'
import { insertBatch } from '../../ledger/transfers.ts'
import { recordPayment } from '../../operations/payment-fact.ts'
import { database, test } from '../../testing/database-test.ts'
import { CHECKED_LEAVES } from '../../testing/knobs.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { TEST_VAULT } from '../../testing/network.ts'
import { checkWholeLog } from './testing/log-check.ts'
import { integrateAll, type LogStage, openLogStage, recordSome } from './testing/log-stage.ts'

const AT_ONCE = 5_000
const MEGABYTE = 1024 * 1024
const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let stage: LogStage

test.beforeAll(async () => {
  stage = await openLogStage(database, clock)
  for (let made = 0; made < CHECKED_LEAVES; made += AT_ONCE) {
    clock.advance(1)
    await pay(AT_ONCE)
    await recordSome(stage, 100)
  }
  await integrateAll(stage)
  await database.query('vacuum analyze')
}, 900_000)

async function pay(count: number): Promise<void> {
  const payments = Array.from({ length: count }, somePayment)
  const batch = new LedgerBatch(new Map(), clock.now().getTime())
  const platforms = { payer: newUuid(clock.now()), payee: newUuid(clock.now()) }
  for (const payment of payments) recordPayment(batch, payment, platforms)
  await database.inTransaction(async tx => {
    await insertBatch(tx, TEST_VAULT, payments)
    for (const [writer, rows] of batch.writes()) await writer.write(tx, rows, TEST_VAULT)
  })
}

function somePayment(): Transfer {
  return {
    id: newUuid(clock.now()),
    kind: 'payment',
    debitAccount: newUuid(clock.now()),
    creditAccount: newUuid(clock.now()),
    amountPaise: paise(12_345n),
    feePaise: paise(100n),
    debitBalancePaise: ZERO_PAISE,
    creditBalancePaise: ZERO_PAISE,
    debitSequence: 1n,
    creditSequence: 1n,
    postedAt: clock.now(),
    linkedId: null,
    idempotencyKey: null,
    reference: 'order-4711',
    note: 'twelve pages',
  }
}

test('a round over a long log is cheap, slice by slice, and checks every tile of every level', async () => {
  globalThis.gc?.()
  const memoryBefore = process.memoryUsage().rss
  const [startedMs, cpuBefore] = [performance.now(), process.cpuUsage()]
  expect(await checkWholeLog(stage)).toEqual([])
  const ms = performance.now() - startedMs
  const cpu = process.cpuUsage(cpuBefore)
  const slices = Math.ceil(CHECKED_LEAVES / 1_024) + Math.ceil(CHECKED_LEAVES / 5_000)
  const figures = {
    slices,
    msPerSlice: ms / slices,
    cpuMsPerSlice: (cpu.user + cpu.system) / 1_000 / slices,
    grownMb: (process.memoryUsage().rss - memoryBefore) / MEGABYTE,
  }
  console.log(figures)
  expect(figures.grownMb).toBeLessThan(200)
  for (const [level, tile, at] of [
    [0, 300, 8_000],
    [1, 0, 300],
    [1, 1, 4_000],
    [2, 0, 40],
  ]) {
    await database.query(
      `update audit_tiles set hashes = set_byte(hashes, $3::int4, get_byte(hashes, $3::int4) # 1)
       where level = $1 and tile = $2`,
      [level, tile, at],
    )
  }
  const subjects = new Set((await checkWholeLog(stage)).map(({ subject }) => subject))
  for (const subject of ['tile 0/300', 'tile 0/9', 'tile 0/381', 'tile 1/0', 'tile 1/1', 'checkpoint'])
    expect(subjects).toContain(subject)
}, 600_000)
