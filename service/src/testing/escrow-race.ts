import { expect } from 'vitest'
import { type Database, openDatabase } from '../db/database.ts'
import type { Escrow } from '../domains/payments/escrow/escrow.ts'
import { escrowTimeouts } from '../domains/payments/escrow/timeouts.ts'
import { HOUR_MS } from '../kernel/clock.ts'
import { formatId, type Uuid } from '../kernel/ids.ts'
import {
  balanceOf,
  expectBalanced,
  fund,
  insertAgent,
  outcomesOf,
  startNode,
  type TestNode,
} from './builders.ts'
import { createTestDatabase } from './database.ts'
import { attestOn, held, intent, refundOn, releaseOn, waiting, writtenEscrow } from './escrows.ts'
import { factsIn } from './facts.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'

const HELD = 1_000n
const FUNDS = 10n ** 12n
/** How many of each kind start at the same moment, alternating between the nodes. */
const OF_EACH = 2

/** Two nodes on one database, with a payer, a recipient and an attestor. */
export interface EscrowStage {
  readonly database: Database
  readonly nodes: readonly [TestNode, TestNode]
  readonly clock: ManualClock
  readonly payer: Uuid
  readonly payee: Uuid
  readonly attestor: Uuid
  /** Closes everything after it has checked that the ledger is balanced and no batch was retried. */
  close(): Promise<void>
}

export async function openEscrowStage(): Promise<EscrowStage> {
  const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  const db = await createTestDatabase()
  const second = openDatabase(db.url)
  const nodes = [startNode({ database: db.database, clock }), startNode({ database: second, clock })] as const
  const [payer, payee, attestor] = [
    await insertAgent(db.database, clock.now()),
    await insertAgent(db.database, clock.now()),
    await insertAgent(db.database, clock.now()),
  ]
  await fund(nodes[0].ledger, payer, FUNDS)
  return {
    ...{ database: db.database, nodes, clock, payer, payee, attestor },
    async close() {
      await expectBalanced(db.database)
      const { held: heldPaise, inLedger } = await waiting(db.database)
      expect([heldPaise, inLedger]).toEqual([0n, 0n])
      await expectEndsRecorded(db.database)
      expect(nodes.flatMap(({ broken }) => broken)).toEqual([])
      await Promise.all(nodes.map(({ ledger }) => ledger.close()))
      await second.close()
      await db.drop()
    },
  }
}

/** Which action ended an escrow, by its final status. */
export type Winner = 'release' | 'attest' | 'refund' | 'timeout'

/**
 * Release, refund, attestation and the timeout start at once on both nodes, each some times. Fails unless exactly one
 * wins and the money is where the winner sent it.
 */
export async function raceEscrow(stage: EscrowStage, round: number): Promise<Winner> {
  const { database, nodes, clock, payer, payee, attestor } = stage
  const before = await balances(stage)
  const [first] = nodes
  const terms = { timeoutMs: HOUR_MS, autoAction: round % 2 === 0 ? 'refund' : 'release' } as const
  const wanted = intent(payer, HELD, { toAgentId: payee, attestorId: attestor, ...terms })
  const escrow = await held(database, first, wanted)
  clock.advance(HOUR_MS)
  const starts = startersOf(stage, escrow, 1 + (round % 4))
  const order = starts.map((_, at) => starts[(at + round) % starts.length] ?? starts[0])
  const winners: Winner[] = []
  const { refused } = await outcomesOf(
    order.map(async start => {
      await start?.run()
      if (start !== undefined && start.name !== 'timeout') winners.push(start.name)
    }),
  )
  const { status } = await writtenEscrow(database, escrow.id)
  const after = await balances(stage)
  const released = status === 'released' ? HELD : 0n
  expect({ payer: before.payer - after.payer, payee: after.payee - before.payee }).toEqual({
    ...{ payer: released, payee: released },
  })
  expect(winners.length).toBeLessThanOrEqual(1)
  for (const { code, details } of refused) {
    expect({ code, status: details?.['status'] }).toEqual({ code: 'conflict', status })
  }
  const winner = winners[0] ?? 'timeout'
  const ends = { ...TIMED, attest: 'released' }
  expect(status).toBe(winner === 'timeout' ? TIMED[terms.autoAction] : ends[winner])
  return winner
}

const TIMED = { release: 'released', refund: 'refunded' }

interface Start {
  readonly name: Winner
  run(): Promise<unknown>
}

/** The timeout queries the database before it acts; for a fair race the others query first too, as the routes do. */
function startersOf(stage: EscrowStage, { id }: Escrow, looks: number): Start[] {
  const { nodes, clock, payee } = stage
  return nodes.flatMap(node => {
    const look = async () => {
      for (let left = looks; left > 1; left--) await writtenEscrow(node.database, id)
      return writtenEscrow(node.database, id)
    }
    const kinds: Start[] = [
      { name: 'release', run: async () => releaseOn(node, await look(), payee) },
      { name: 'attest', run: async () => attestOn(node, await look()) },
      { name: 'refund', run: async () => refundOn(node, await look()) },
      { name: 'timeout', run: () => escrowTimeouts(node).run(clock.now()) },
    ]
    return Array.from({ length: OF_EACH }, () => kinds).flat()
  })
}

/** Fails unless the log has the hold and the end of each escrow once. */
async function expectEndsRecorded(database: Database): Promise<void> {
  const facts = Map.groupBy(await factsIn(database), ({ target }) => target)
  const rows = await database.query<{ id: Uuid; status: string }>('select id, status from escrows')
  for (const { id, status } of rows) {
    // Two nodes wrote them, so the order of the rows is arbitrary.
    const actions = facts.get(formatId('esc', id))?.map(({ action }) => action)
    expect(actions?.toSorted()).toEqual(['escrow.held', `escrow.${status}`])
  }
}

async function balances({ database, payer, payee }: EscrowStage): Promise<{ payer: bigint; payee: bigint }> {
  return { payer: await balanceOf(database, payer), payee: await balanceOf(database, payee) }
}
