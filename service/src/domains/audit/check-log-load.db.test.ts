import { afterAll, expect } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { insertFundedAgent, order, outcomesOf, startNode, type TestNode } from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'
import { PROOF_LENGTH } from '../../testing/knobs.ts'
import { openLogChecker } from './check-log.ts'
import { openIntegrator } from './integrator.ts'
import { checkWholeLog } from './testing/log-check.ts'
import { integrateAll, type LogStage, openLogStage, recordSome } from './testing/log-stage.ts'

const LOAD_MS = 2_000 * PROOF_LENGTH
const clock = systemClock()
let stages: readonly LogStage[]
let nodes: readonly TestNode[]
const wallets: Uuid[] = []

test.override('databaseOptions', { maxConnections: 20 })

test.beforeAll(async () => {
  stages = [await openLogStage(database, clock), await openLogStage(database, clock)]
  nodes = stages.map(() => startNode({ database, clock }))
  const [node] = nodes
  if (node === undefined) throw new Error('there is no node')
  for (let made = 0; made < 6; made++)
    wallets.push(await insertFundedAgent(node.ledger, database, clock, 2_000_000n))
})

afterAll(async () => {
  for (const node of nodes) await node.ledger.close()
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
      await database.query(`update scans set started_at = null where name = 'audit log check'`)
      await checker.check()
    }
  })
  await Promise.all([...paying, ...acting, ...integrating, ...checking])
  const [stage] = stages
  if (stage === undefined) throw new Error('there is no node')
  expect(await checkWholeLog(stage)).toEqual([])
  await integrateAll(stage)
  expect(await checkWholeLog(stage)).toEqual([])
  expect(await database.query('select subject, kind, detail from scan_findings')).toEqual([])
  const [tree] = await database.query<{ size: bigint; round: bigint }>(
    `select size, (select round from scans where name = 'audit log check') as round from audit_tree`,
  )
  expect(tree?.size).toBeGreaterThan(200n)
  expect(tree?.round).toBeGreaterThan(3n)
  expect(stages.flatMap(({ logged }) => logged)).toEqual([])
}, 120_000)
