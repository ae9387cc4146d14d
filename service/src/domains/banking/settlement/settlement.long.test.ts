import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'
import { writeMacs } from '../../../db/row-mac.ts'
import { DAY_MS, HOUR_MS, istDay } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { hashSecret } from '../../../kernel/secrets.ts'
import { SYSTEM, type Transfer } from '../../../ledger/index.ts'
import { insertBatch } from '../../../ledger/transfers.ts'
import { balanceOf, expectBalanced, insertFundedAgent, order } from '../../../testing/builders.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { SETTLED_WALLETS } from '../../../testing/knobs.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { openPayoutNetwork } from '../../../testing/paying-out.ts'
import { openSettlingNode, type SettlingNode } from '../../../testing/settling.ts'
import { AGENT_ROWS } from '../../limits/covered-tables.ts'
import { pay } from '../../payments/pay.ts'
import { selectRuns } from './store.ts'

const MONDAY = new Date('2026-11-16T06:30:00.000Z')
const WEDNESDAY = new Date('2026-11-18T05:00:00.000Z')
/** The memory limit, garbage included. All wallets in memory at once would need as much again. */
const HEAP_MB = 192

const clock = manualClock(MONDAY)
let nodes: SettlingNode[]

test.beforeAll(async () => {
  nodes = [openSettlingNode(db, clock), openSettlingNode(db, clock)]
  await fillWallets()
}, 600_000)
afterAll(async () => {
  for (const node of nodes) await node.close()
})

/** Wallets of one verified owner, each funded on Monday with its number of paise above 100 INR. */
const AT_ONCE = 1_000

const numbered = (prefix: string, number: number): Uuid =>
  `${prefix}-0000-7000-8000-${(number * 2).toString(16).padStart(12, '0')}`

const walletOf = (number: number): Uuid => numbered('019a8000', number)

/** A wallet's balance, with the MAC that covers it. */
function fundingOf(number: number): Transfer {
  const amountPaise = paise(BigInt(10_000 + number))
  return {
    ...{ id: numbered('019a8c00', number), kind: 'fund', debitAccount: SYSTEM.gateway },
    ...{ creditAccount: walletOf(number), amountPaise, feePaise: ZERO_PAISE },
    ...{ debitBalancePaise: null, creditBalancePaise: amountPaise, debitSequence: null, creditSequence: 1n },
    ...{ postedAt: MONDAY, linkedId: null, idempotencyKey: null, reference: null, note: null },
  }
}

async function fillWallets(): Promise<void> {
  const people = await openPayoutNetwork(db, clock)
  const owner = await people.owner()
  const nowMs = BigInt(MONDAY.getTime())
  const values = [SETTLED_WALLETS, owner, people.platformId, MONDAY]
  await database.query(
    `insert into agents (id, platform_id, owner_id, handle, name, tier, key_hash, key_last4, public_key, created_at)
     select ('019a8000-0000-7000-8000-' || lpad(to_hex(n * 2), 12, '0'))::uuid, $3, $2, 'w' || n, 'An agent', 'tier3', '', '', '', $4
     from generate_series(1, $1::int4) n`,
    values,
  )
  await database.query(
    `insert into accounts (id, balance_paise, total_funded_paise, sequence, last_posted_ms, last_spent_ms, hour_from_ms,
       day_from_ms, ist_day)
     select ('019a8000-0000-7000-8000-' || lpad(to_hex(n * 2), 12, '0'))::uuid, 10000 + n, 10000 + n, 1, $2, $2, $3, $4, $5
     from generate_series(1, $1::int4) n`,
    [SETTLED_WALLETS, nowMs, nowMs - BigInt(HOUR_MS), nowMs - BigInt(DAY_MS), istDay(MONDAY)],
  )
  for (let made = 0; made < SETTLED_WALLETS; made += AT_ONCE) {
    const count = Math.min(AT_ONCE, SETTLED_WALLETS - made)
    const numbers = Array.from({ length: count }, (_, index) => made + index + 1)
    await insertBatch(database, TEST_VAULT, numbers.map(fundingOf))
    await writeMacs(database, TEST_VAULT, AGENT_ROWS, numbers.map(walletOf))
  }
  await database.query('analyze')
}

test('many wallets are settled once each in bounded memory while payments continue', async () => {
  const [node] = nodes
  if (node === undefined) throw new Error('there is no node')
  clock.set(WEDNESDAY)
  const payer = await insertFundedAgent(node.ledger, database, clock, 10n ** 9n)
  const payee = await insertFundedAgent(node.ledger, database, clock, 100n)
  const keyHash = hashSecret(payer)

  globalThis.gc?.()
  const heapBefore = process.memoryUsage().heapUsed
  let [heapPeak, running] = [heapBefore, true]
  const latencies: number[] = []
  async function payOn(): Promise<void> {
    while (running) {
      const startedMs = performance.now()
      await pay(node?.ledger ?? raise(), node?.agents ?? raise(), { ...order(payer, payee, 100n), keyHash })
      latencies.push(performance.now() - startedMs)
      heapPeak = Math.max(heapPeak, process.memoryUsage().heapUsed)
      await delay(2)
    }
  }
  const paying = payOn()
  const startedMs = performance.now()
  await Promise.all(nodes.map(each => each.run()))
  const seconds = (performance.now() - startedMs) / 1_000
  running = false
  await paying

  const [run] = await selectRuns(database, { fetch: 1, offset: 0, beforeDay: null })
  const count = BigInt(SETTLED_WALLETS)
  expect(run).toMatchObject({
    paidCount: SETTLED_WALLETS,
    paidPaise: count * 10_000n + (count * (count + 1n)) / 2n,
    skipped: {},
  })
  expect(run?.finishedAt).not.toBeNull()
  expect(await balanceOf(database, payee)).toBe(100n + 100n * BigInt(latencies.length))
  await expectBalanced(database)
  const sorted = latencies.toSorted((left, right) => left - right)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(1)
  const heapMb = (heapPeak - heapBefore) / 2 ** 20
  console.log(
    `${SETTLED_WALLETS} wallets in ${seconds.toFixed(1)} s, heap +${heapMb.toFixed(0)} MB; ` +
      `${latencies.length} payments meanwhile, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  )
  expect(heapMb).toBeLessThan(HEAP_MB)
}, 900_000)

function raise(): never {
  throw new Error('there is no node')
}
