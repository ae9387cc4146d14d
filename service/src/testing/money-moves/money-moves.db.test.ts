import { afterAll, beforeAll, expect, test } from 'vitest'
import { simulateOutcome } from '../../domains/sandbox/simulate-outcome.ts'
import { SEED } from '../knobs.ts'
import { ALWAYS_MET } from './expectations.ts'
import { finishEverything } from './finish-everything.ts'
import { compare, proveMoves } from './prove.ts'
import { readDifferences } from './reading/read-differences.ts'
import { TAMPERINGS } from './tampering.ts'
import { type MoneyWorld, openMoneyWorld } from './world.ts'

const MOVES = 150
const AGENTS = 24

let world: MoneyWorld

beforeAll(async () => {
  world = await openMoneyWorld(SEED, AGENTS)
})
afterAll(() => world.close())

test('after fundings, payouts and faults in any order, every paisa is in the correct account', async () => {
  console.log(`money moves seed ${SEED}`)
  console.log(await proveMoves(world, MOVES, ALWAYS_MET))
}, 60_000)

test.each(Object.entries(TAMPERINGS))('the reading finds %s', async (_name, { pick, alter, mend }) => {
  const [row] = await world.outside.query<{ id: string }>(pick, [])
  await world.outside.query(alter, [row?.id])
  const found = await readDifferences(world)
  await world.outside.query(mend, [row?.id])
  expect(found).not.toEqual([])
  expect(await readDifferences(world)).toEqual([])
})

test('a refund that the gateway refuses for good is reported by the test’s comparison and by reconciliation', async () => {
  const [node] = world.nodes
  const session = world.sessions.at(-1)
  if (node === undefined || session === undefined) throw new Error('there are nodes and sessions')
  await simulateOutcome(node.sandbox, session.session, 'refund_failed')
  await finishEverything(world)
  const refund = await world.outside.query(`select id from gateway_refunds where status = 'failed'`, [])
  expect(refund).toHaveLength(1)
  expect(await readDifferences(world)).toContainEqual(
    expect.stringMatching(/^the refund of payment .* is failed$/),
  )
  expect(await compare(world)).toEqual([expect.stringContaining('refund_not_made')])
}, 60_000)
