import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'vitest'
import type { Database } from '../../../../db/database.ts'
import { newUuid } from '../../../../kernel/ids.ts'
import { paise } from '../../../../kernel/money.ts'
import { insertBatch } from '../../../../ledger/transfers.ts'
import { database, test } from '../../../../testing/database-test.ts'
import { manualClock } from '../../../../testing/manual-clock.ts'
import { networkContext, newAgent, newOwner, newPlatform, TEST_VAULT } from '../../../../testing/network.ts'
import { exportStatement } from './export-statement.ts'

const LINES = 250_000
const AT_ONCE = 5_000
const START = new Date('2026-01-01T00:00:00.000Z')
const END = new Date('2026-12-01T00:00:00.000Z')
/** Of live memory, at any moment; the statement itself has more than five times as much. */
const MOST_BYTES = 8 * 1024 * 1024
const MEASURED_EVERY = 50

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function liveBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

let wallet: string

test.beforeAll(async () => {
  const context = networkContext(database, manualClock(START))
  const { platform } = await newPlatform(context)
  const owner = await newOwner(context, platform.id)
  const payer = await newAgent(context, owner, { name: 'Payer' })
  const payee = await newAgent(context, owner, { name: 'Payee' })
  wallet = payee.agent.id
  const stepMs = (END.getTime() - START.getTime()) / LINES
  for (let from = 0; from < LINES; from += AT_ONCE) {
    const transfers = Array.from({ length: AT_ONCE }, (_, index) => {
      const number = from + index + 1
      // Half of them in the last hour.
      const at = new Date(
        number <= LINES / 2
          ? START.getTime() + Math.floor(number * stepMs)
          : END.getTime() + (number % 3_600_000),
      )
      return {
        ...{ id: newUuid(at), kind: 'payment' as const, debitAccount: payer.agent.id, creditAccount: wallet },
        ...{
          amountPaise: paise(1n),
          feePaise: paise(0n),
          debitBalancePaise: paise(0n),
          debitSequence: BigInt(number),
        },
        ...{ creditBalancePaise: paise(BigInt(number)), creditSequence: BigInt(number), postedAt: at },
        ...{ linkedId: null, idempotencyKey: null, reference: null, note: null },
      }
    })
    await insertBatch(database, TEST_VAULT, transfers)
  }
  await database.query('vacuum analyze transfers')
}, 600_000)

/** The database, with the most rows that one statement returned. */
function measured(): { readonly database: Database; readonly most: { rows: number } } {
  const most = { rows: 0 }
  return {
    most,
    database: {
      ...database,
      async query<Row extends object>(text: string, values: readonly unknown[] = []) {
        const rows = await database.query<Row>(text, values)
        most.rows = Math.max(most.rows, rows.length)
        return rows
      },
    },
  }
}

test.each(['csv', 'json'] as const)(
  `a statement of ${LINES} lines as %s is made with the memory of a few hundred of them`,
  async format => {
    const { most, ...reading } = measured()
    const context = { ...reading, vault: TEST_VAULT, coveringCheckpoint: async () => null }
    const span = { from: null, until: null }
    const now = new Date(END.getTime() + 7_200_000)
    const request = { wallets: [wallet], agentId: null, title: '', subtitle: '', span, format, now }
    let bytes = 0
    let lines = 0
    let peak = 0
    const before = liveBytes()
    let chunks = 0
    let last = ''
    for await (const chunk of await exportStatement(context, request)) {
      bytes += chunk.length
      lines += String(chunk).split('txn_').length - 1
      if (chunks++ % MEASURED_EVERY === 0) peak = Math.max(peak, liveBytes() - before)
      last = String(chunk)
    }
    expect(lines).toBe(LINES)
    expect(bytes).toBeGreaterThan(5 * MOST_BYTES)
    expect(peak).toBeLessThan(MOST_BYTES)
    expect(most.rows).toBeLessThanOrEqual(1_000)
    if (format === 'json') expect(last).toContain(`"credited":${LINES / 100},`)
  },
)
