import { afterAll, beforeEach, describe, expect } from 'vitest'
import { formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import { createMetrics } from '../../kernel/metrics.ts'
import { order } from '../../testing/builders.ts'
import { keepTables } from '../../testing/column-changes.ts'
import { clock, database, newFundedAgent, newUnfundedAgent, node, test } from '../../testing/ledger-test.ts'
import { openLogChecker, readLogCheck } from './check-log.ts'
import { addLogCheckMetrics } from './metrics.ts'
import { checkWholeLog, completeRound } from './testing/log-check.ts'
import { integrateAll, type LogStage, openLogStage, recordSome } from './testing/log-stage.ts'

const MINUTE_MS = 60_000
let stage: LogStage
let ids: Uuid[]
let putBack: () => Promise<void>

test.beforeAll(async () => {
  stage = await openLogStage(database, clock)
  const payer = await newFundedAgent(1_000_000n)
  const payee = await newUnfundedAgent()
  ids = await recordSome(stage, 300)
  for (let made = 0; made < 5; made++) await node.pay(order(payer, payee, 100n))
  await integrateAll(stage)
  await recordSome(stage, 3)
  putBack = await keepTables(database, [
    'audit_entries',
    'audit_tiles',
    'audit_tree',
    'audit_queue',
    'transfers',
  ])
})

afterAll(() => putBack())

beforeEach(async () => {
  await putBack()
  await database.query('delete from scan_findings; update scans set is_running = false, cursor = null')
  stage.logged.length = 0
})

const check = () => openLogChecker(stage).check()
const state = async () => {
  const [row] = await database.query<{ phase: string; round: bigint; tile: bigint; isOver: boolean }>(
    `select cursor ->> 'phase' as phase, round, (cursor ->> 'nextTile')::int8 as tile, not is_running as "isOver"
     from scans where name = 'audit log check'`,
  )
  return row
}

async function figures(): Promise<Record<string, string>> {
  const metrics = createMetrics()
  addLogCheckMetrics(metrics, stage)
  const lines = (await metrics.metrics()).split('\n').filter(line => line.startsWith('batua_'))
  return Object.fromEntries(lines.map(line => line.split(' ') as [string, string]))
}

const alter = (id: Uuid | undefined, target = 'another') =>
  database.query('update audit_entries set target = $2 where id = $1', [id, target])

describe('a round of the log check', () => {
  test('is reported as missing before the first one has ended', async () => {
    expect(await readLogCheck(database)).toMatchObject({ finishedAt: null, openFindings: 0 })
    expect(await figures()).toEqual({
      batua_log_check_passed: 'Nan',
      batua_log_check_findings: '0',
      batua_log_check_age_seconds: 'Nan',
    })
  })

  test('finds no fault in an intact log, and the next begins a quarter of an hour later', async () => {
    expect(await checkWholeLog(stage)).toEqual([])
    expect(await readLogCheck(database)).toMatchObject({ finishedAt: clock.now(), openFindings: 0 })
    expect(await figures()).toMatchObject({ batua_log_check_passed: '1', batua_log_check_age_seconds: '0' })
    const { round } = (await state()) ?? {}
    clock.advance(15 * MINUTE_MS - 1)
    await check()
    expect(await state()).toMatchObject({ round, isOver: true })
    clock.advance(1)
    await check()
    expect(await state()).toMatchObject({ round: (round ?? 0n) + 1n, isOver: false })
  })

  test('can be run in slices by several nodes, with the same result', async () => {
    await alter(ids[0])
    await alter(ids[299])
    await database.query(`delete from transfers where kind = 'payment'`)
    const atOnce = await checkWholeLog(stage)
    expect(atOnce).toHaveLength(7)
    await database.query('delete from scan_findings')
    await database.query(`update scans set started_at = null where name = 'audit log check'`)
    const nodes = [1, 2, 3].map(() => openLogChecker(stage, { tiles: 1, rows: 7 }))
    let slices = 0
    do {
      await Promise.all(nodes.map(checker => checker.check()))
      slices++
    } while ((await state())?.isOver === false)
    expect(slices).toBeGreaterThan(15)
    const found = 'select subject, kind, detail from scan_findings order by kind, subject'
    expect(await database.query(found)).toEqual(atOnce)
    expect(stage.logged).toHaveLength(14)
  })

  test('is continued by another node from the stored position if the first node crashes', async () => {
    await database.query(`update scans set started_at = null where name = 'audit log check'`)
    const checker = openLogChecker(stage, { tiles: 1, rows: 100 })
    await checker.check()
    await database.query('update scans set leased_by = gen_random_uuid(), leased_until = $1', [
      new Date(clock.now().getTime() + MINUTE_MS),
    ])
    const before = await state()
    expect(before).toMatchObject({ phase: 'tiles', tile: 1n })
    await checker.check()
    expect(await state()).toEqual(before)
    clock.advance(MINUTE_MS)
    await checker.check()
    expect(await state()).toMatchObject({ phase: 'entries' })
  })
})

describe('a fault of the log', () => {
  test('is logged once with its id and without data, counted until it is resolved, and logged again if it recurs', async () => {
    const errors: unknown[] = []
    const logging = { ...stage, logger: { error: (...said: unknown[]) => errors.push(said) } }
    await alter(ids[7], 'a secret')
    const fault = {
      subject: formatId('aud', ids[7] ?? ''),
      kind: 'altered_entry',
      detail: 'it does not hash to its leaf',
    }
    expect(await checkWholeLog(logging)).toEqual([fault])
    expect(await checkWholeLog(logging)).toEqual([fault])
    expect(errors).toEqual([[{ fault }, 'audit log check found a fault']])
    expect(await figures()).toMatchObject({ batua_log_check_passed: '0', batua_log_check_findings: '1' })
    await putBack()
    expect(await checkWholeLog(logging)).toEqual([])
    expect(await figures()).toMatchObject({ batua_log_check_passed: '1', batua_log_check_findings: '0' })
    await alter(ids[7])
    expect(await checkWholeLog(logging)).toEqual([fault])
    expect(errors).toHaveLength(2)
  })

  test('is stored and logged at most a thousand times, however many entries are missing', async () => {
    const many = `insert into audit_entries (id, actor_type, actor_id, action, target, data, created_at)
      select gen_random_uuid(), 'service', '', '', '', '{}', now() from generate_series(1, 1200)`
    await database.query(many)
    expect(await checkWholeLog(stage)).toHaveLength(1_000)
    expect(stage.logged).toHaveLength(1_000)
  })
})

test('payments from before the log existed need no leaf, later ones do', async () => {
  const beginsAfter = (id: Uuid) => database.query('update audit_beginning set begins_after = $1', [id])
  const [first, second] = await database.query<{ id: Uuid }>(
    `select id from transfers where kind = 'payment' order by id limit 2`,
  )
  const copy = `insert into transfers (id, debit_account, credit_account, kind, amount_paise, posted_at, seal)
    select $1, debit_account, credit_account, kind, amount_paise, posted_at, seal from transfers where id = $2`
  const old = newUuid(new Date('2026-11-19T00:00:00.000Z'))
  await database.query(copy, [old, first?.id])
  expect(await checkWholeLog(stage)).toMatchObject([{ subject: formatId('aud', old), kind: 'not_in_log' }])
  await beginsAfter(first?.id ?? '')
  expect(await checkWholeLog(stage)).toEqual([])
  const late = newUuid(clock.now())
  await database.query(copy, [late, second?.id])
  expect(await checkWholeLog(stage)).toMatchObject([{ subject: formatId('aud', late), kind: 'not_in_log' }])
})

test('a database without a log has no fault, unless a log was deleted', async () => {
  await database.query('delete from audit_entries; delete from audit_tree; delete from audit_tiles')
  await database.query(`delete from audit_queue; delete from transfers where kind = 'payment'`)
  const checker = openLogChecker(stage)
  expect(await completeRound(stage, checker)).toEqual([])
  await recordSome(stage, 1)
  await integrateAll(stage)
  expect(await completeRound(stage, checker)).toEqual([])
  await database.query('delete from audit_entries; delete from audit_tree; delete from audit_tiles')
  expect(await completeRound(stage, checker)).toMatchObject([
    { subject: 'checkpoint', detail: 'it was deleted' },
  ])
})
