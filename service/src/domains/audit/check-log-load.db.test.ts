import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { newFundedAgent, order, outcomesOf, startNode, type TestNode } from '../../testing/builders.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { openLogChecker } from './check-log.ts'
import { openIntegrator } from './integrator.ts'
import { checkWholeLog } from './testing/log-check.ts'
import { integrateAll, type LogStage, openLogStage, recordSome } from './testing/log-stage.ts'

const LOAD_MS = 4_000
const clock = systemClock()
let db: TestDatabase
let stages: readonly LogStage[]
let nodes: readonly TestNode[]
const wallets: Uuid[] = []

beforeAll(async () => {
  db = await createTestDatabase({ maxConnections: 20 })
  stages = [await openLogStage(db.database, clock), await openLogStage(db.database, clock)]
  nodes = stages.map(() => startNode({ database: db.database, clock }))
  const [node] = nodes
  if (node === undefined) throw new Error('there is no node')
  for (let made = 0; made < 6; made++)
    wallets.push(await newFundedAgent(node.ledger, db.database, clock, 2_000_000n))
})

afterAll(async () => {
  for (const node of nodes) await node.ledger.close()
  await db.drop()
})

const pick = () => wallets[Math.floor(Math.random() * wallets.length)] ?? ''

test('the check finds no fault in a healthy log while two nodes pay, record, append and check at once', async () => {
  const until = Date.now() + LOAD_MS
  const isOver = () => Date.now() > until
  const paying = nodes.flatMap(node =>
    Array.from({ length: 6 }, async () => {
      while (!isOver()) await outcomesOf([node.pay(order(pick(), pick(), 100n))])
    }),
  )
  const acting = stages.map(async stage => {
    while (!isOver()) await recordSome(stage, 1 + Math.floor(Math.random() * 5))
  })
  const integrating = stages.map(async stage => {
    const integrator = openIntegrator(stage)
    while (!isOver()) await (Math.random() < 0.5 ? integrator.step() : integrator.catchUp())
  })
  const checking = stages.map(async (stage, index) => {
    const checker = openLogChecker(stage, index === 0 ? { tiles: 1, rows: 50 } : { tiles: 4, rows: 1_000 })
    while (!isOver()) {
      await db.database.query('update audit_check set last_started_at = null')
      await checker.check(clock.now())
    }
  })
  await Promise.all([...paying, ...acting, ...integrating, ...checking])
  const [stage] = stages
  if (stage === undefined) throw new Error('there is no node')
  expect(await checkWholeLog(stage)).toEqual([])
  await integrateAll(stage)
  expect(await checkWholeLog(stage)).toEqual([])
  expect(await db.database.query('select subject, kind, detail from audit_faults')).toEqual([])
  const [tree] = await db.database.query<{ size: bigint; round: bigint }>(
    'select size, (select round from audit_check) as round from audit_tree',
  )
  expect(tree?.size).toBeGreaterThan(200n)
  expect(tree?.round).toBeGreaterThan(3n)
  expect(stages.flatMap(({ logged }) => logged)).toEqual([])
}, 60_000)
