import { afterAll, beforeEach, describe, expect } from 'vitest'
import { type Database, openDatabase } from '../../../db/database.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import {
  balanceOf,
  changeAgent,
  expectBalanced,
  insertAgent,
  insertFundedAgent,
  startNode,
  type TestNode,
} from '../../../testing/builders.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { eventsTo, held, intent, refundOn, waiting, writtenEscrow } from '../../../testing/escrows.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import type { Escrow, HoldIntent } from './escrow.ts'
import { dueTimeouts } from './store.ts'
import { escrowTimeouts } from './timeouts.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let second: Database
let nodes: readonly [TestNode, TestNode]
let payer: Uuid
let payee: Uuid

test.beforeAll(async () => {
  second = openDatabase(db.url)
  nodes = [startNode({ database, clock }), startNode({ database: second, clock })]
})

beforeEach(async () => {
  payer = await insertFundedAgent(nodes[0].ledger, database, clock, 100_000n)
  payee = await insertAgent(database, clock.now())
})

afterAll(async () => {
  await expectBalanced(database)
  const { held: heldPaise, inLedger } = await waiting(database)
  expect(inLedger).toBe(heldPaise)
  expect(nodes.flatMap(({ broken }) => broken)).toEqual([])
  await Promise.all(nodes.map(({ ledger }) => ledger.close()))
  await second.close()
})

const fire = () => escrowTimeouts(nodes[0]).run(clock.now())
const fireThere = () => escrowTimeouts(nodes[1]).run(clock.now())

const heldFor = (timeoutMs: number, more: Partial<HoldIntent> = {}) =>
  held(database, nodes[0], intent(payer, 1_000n, { autoAction: 'refund', timeoutMs, ...more }))

async function statusOf(escrow: Escrow): Promise<string> {
  return (await writtenEscrow(database, escrow.id)).status
}

describe('a timeout', () => {
  test('does nothing before its time and refunds then by default', async () => {
    const escrow = await heldFor(HOUR_MS)
    clock.advance(HOUR_MS - 1)
    expect([await fire(), await statusOf(escrow)]).toEqual([0, 'held'])
    clock.advance(1)
    expect([await fire(), await statusOf(escrow)]).toEqual([1, 'refunded'])
    expect(await balanceOf(database, payer)).toBe(100_000n)
    expect([await fire(), await fireThere()]).toEqual([0, 0])
  })

  test('releases to the recipient where the hold says so, and refunds where there is none', async () => {
    const [named, unnamed] = [
      await heldFor(1, { autoAction: 'release', toAgentId: payee }),
      await heldFor(1, { autoAction: 'release' }),
    ]
    clock.advance(1)
    await fire()
    expect([await statusOf(named), await statusOf(unnamed)]).toEqual(['released', 'refunded'])
    expect(await balanceOf(database, payee)).toBe(1_000n)
    expect((await eventsTo(database, payee)).map(({ name }) => name)).toEqual(['agent.escrow.released'])
  })

  test('of a frozen payer still refunds, but does not release until the payer is unfrozen', async () => {
    const [back, on] = [await heldFor(1), await heldFor(1, { autoAction: 'release', toAgentId: payee })]
    await changeAgent(database, payer, { status: 'frozen' })
    clock.advance(1)
    await fire()
    expect([await statusOf(back), await statusOf(on)]).toEqual(['refunded', 'held'])
    await changeAgent(database, payer, { status: 'active' })
    clock.advance(3_000)
    await fire()
    expect(await statusOf(on)).toBe('released')
  })

  test('that is refused is tried again within a minute at the latest, and ever less often until then', async () => {
    const escrow = await heldFor(1, { autoAction: 'release', toAgentId: payee })
    await changeAgent(database, payee, { status: 'paused' })
    clock.advance(1)
    const tries: number[] = []
    for (let second = 0; second <= 600; second++) {
      if ((await fire()) > 0) tries.push(second)
      clock.advance(1_000)
    }
    const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
    expect([pauses[0], Math.max(...pauses)]).toEqual([3, 60])
    expect(pauses).toEqual(pauses.toSorted((left, right) => left - right))
    await changeAgent(database, payee, { status: 'active' })
    clock.advance(60_000)
    await fire()
    expect(await statusOf(escrow)).toBe('released')
  })

  test('fires within 5 s although the node that claimed it crashed', async () => {
    const escrow = await heldFor(1)
    clock.advance(1)
    const { rows } = await dueTimeouts.open()(nodes[0], clock.now())
    expect(rows.map(({ id }) => id)).toEqual([escrow.id])
    const job = escrowTimeouts(nodes[1])
    expect(job.everyMs).toBeLessThanOrEqual(1_000)
    let ticks = 0
    for (; (await statusOf(escrow)) === 'held' && ticks < 10; ticks++) {
      clock.advance(1_000)
      await job.run(clock.now())
    }
    expect(ticks).toBeLessThanOrEqual(4)
  })

  test('of an escrow that was closed before has no effect', async () => {
    const escrow = await heldFor(1)
    await refundOn(nodes[0], escrow)
    clock.advance(1)
    expect(await fire()).toBe(0)
  })
})

test('1,200 timeouts at one moment fire once each, whichever of two nodes claims them', async () => {
  const payers = await Promise.all(
    Array.from({ length: 40 }, () => insertFundedAgent(nodes[0].ledger, database, clock, 30_000n)),
  )
  const works = payers.flatMap(each =>
    Array.from({ length: 30 }, (_, at) =>
      held(
        database,
        nodes[0],
        intent(each, 1_000n, {
          ...{ timeoutMs: 60_000, toAgentId: payee, autoAction: at % 2 === 0 ? 'release' : 'refund' },
        }),
      ),
    ),
  )
  await Promise.all(works)
  clock.advance(60_000)
  const drain = async (work: () => Promise<number>) => {
    let taken = 0
    for (let count = await work(); count > 0; count = await work()) taken += count
    return taken
  }
  const [here, there] = await Promise.all([drain(fire), drain(fireThere)])
  expect(here + there).toBe(1_200)
  expect(await balanceOf(database, payee)).toBe(600_000n)
  for (const each of payers) expect(await balanceOf(database, each)).toBe(15_000n)
})
