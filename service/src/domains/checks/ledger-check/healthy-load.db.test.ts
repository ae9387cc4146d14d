import { afterAll, expect } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { foldTransfers, type Posting, SYSTEM, type Transfer, type Writer } from '../../../ledger/index.ts'
import {
  fund,
  insertFundedAgent,
  order,
  outcomesOf,
  post,
  startNode,
  type TestNode,
} from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import { PROOF_LENGTH } from '../../../testing/knobs.ts'
import { checkNextSlice } from './check-ledger.ts'
import { LEDGER_SUMS } from './store.ts'
import { testContext, wholeRound } from './testing/stage.ts'

const LOAD_MS = 2_500 * PROOF_LENGTH
const clock = systemClock()
let nodes: readonly TestNode[]
const wallets: Uuid[] = []
/** Those with limits; a hold that is posted past the rules would not be planned for. */
const limited = new Set<Uuid>()

test.override('databaseOptions', { maxConnections: 20 })

test.beforeAll(async () => {
  nodes = [1, 2].map(() => startNode({ database, clock }))
  const limits = { spend_limit_hourly_paise: 900_000n, max_counterparties_per_hour: 50 }
  const [node] = nodes
  if (node === undefined) throw new Error('there is no node')
  for (let made = 0; made < 12; made++) {
    const columns = made % 2 === 0 ? limits : {}
    const wallet = await insertFundedAgent(node.ledger, database, clock, 2_000_000n, columns)
    wallets.push(wallet)
    if (made % 2 === 0) limited.add(wallet)
  }
})

afterAll(async () => {
  for (const node of nodes) await node.ledger.close()
})

const pick = <T>(things: readonly T[]): T => {
  const thing = things[Math.floor(Math.random() * things.length)]
  if (thing === undefined) throw new Error('there is nothing to pick')
  return thing
}

/** Holds and gives back or releases, pays, is funded by an old id: until the time is over. */
async function act(node: TestNode, isOver: () => boolean): Promise<number> {
  let acts = 0
  while (!isOver()) {
    const [from, to] = [pick(wallets), pick(wallets)]
    if (from === to) continue
    const chance = Math.random()
    if (chance < 0.6) await outcomesOf([node.pay(order(from, to, BigInt(1 + Math.floor(chance * 1_000))))])
    else if (chance < 0.7) await fundLate(node, to)
    else if (chance < 0.72) await fund(node.ledger, to, 1_000n)
    else if (!limited.has(from)) await holdAndEnd(node, from, to, chance)
    acts++
  }
  return acts
}

async function fundLate(node: TestNode, wallet: Uuid): Promise<void> {
  const id = newUuid(new Date(clock.now().getTime() - 600_000))
  const sides = { debit: SYSTEM.gateway, credit: wallet }
  await post(node.ledger, [wallet], { kind: 'fund', id, amountPaise: paise(100n), ...sides })
}

async function holdAndEnd(node: TestNode, from: Uuid, to: Uuid, chance: number): Promise<void> {
  const sides = { debit: from, credit: SYSTEM.escrow, linkedId: to }
  const hold = await withRow(node, [from], holdRows, {
    ...{ kind: 'escrow_hold', amountPaise: paise(50n) },
    ...sides,
  })
  if (chance < 0.75) return
  const ended = { debit: SYSTEM.escrow, amountPaise: hold.amountPaise, linkedId: hold.id }
  const posting: Posting =
    chance < 0.9
      ? { ...ended, kind: 'escrow_release', credit: to, spentBy: from }
      : {
          ...{ ...ended, kind: 'escrow_refund', credit: from },
          undoes: { postedMs: hold.postedAt.getTime(), amountPaise: ended.amountPaise, isWhole: true },
        }
  await withRow(node, [from, to], endRows, posting)
}

/** Posts, and writes the escrow's own row in the same commit. */
function withRow(
  node: TestNode,
  accounts: readonly Uuid[],
  writer: Writer<Transfer>,
  posting: Posting,
): Promise<Transfer> {
  return node.ledger.submit({
    accounts,
    reads: [],
    decide(batch) {
      const transfer = batch.post(posting)
      batch.write(writer, transfer)
      return transfer
    },
  })
}

const holdRows: Writer<Transfer> = {
  name: 'holds',
  write: (tx, rows) =>
    Promise.all(
      rows.map(row =>
        tx.query(
          `insert into escrows (agent_id, id, hold_sequence, amount_paise, created_at) values ($1, $2, $3, $4, $5)`,
          [row.debitAccount, row.id, row.debitSequence, row.amountPaise, row.postedAt],
        ),
      ),
    ),
}

const endRows: Writer<Transfer> = {
  name: 'ends of holds',
  write: (tx, rows) =>
    tx.query(`update escrows set status = 'released' where id = any($1::uuid[])`, [
      rows.map(row => row.linkedId),
    ]),
}

test('a correct ledger has no fault while two nodes pay, hold and check at once, in slices and pieces', async () => {
  const context = testContext(database, clock)
  const until = Date.now() + LOAD_MS
  const isOver = () => Date.now() > until
  const checking = [1, 2].map(async () => {
    let slices = 0
    while (!isOver()) {
      await database.query(`update scans set started_at = null where name = 'ledger check'`)
      const limits = slices % 7 < 4 ? { rows: 40, wallets: 3 } : { rows: 2_000, wallets: 500 }
      await checkNextSlice(context, limits)
      slices++
    }
    return slices
  })
  const folding = (async () => {
    while (!isOver()) await foldTransfers(database, LEDGER_SUMS, new Date(Date.now() + 58_000))
    return 0
  })()
  const acting = nodes.flatMap(node => Array.from({ length: 8 }, () => act(node, isOver)))
  const counts = await Promise.all([...acting, ...checking, folding])
  await wholeRound(context)
  expect(await database.query('select subject, kind, detail, found_at from scan_findings')).toEqual([])
  expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(200)
}, 120_000)
