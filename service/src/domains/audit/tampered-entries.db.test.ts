import { beforeEach, expect } from 'vitest'
import { formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import type { Finding } from '../../operations/scan.ts'
import { order } from '../../testing/builders.ts'
import { changesOfColumns, keepTables } from '../../testing/column-changes.ts'
import { clock, database, newFundedAgent, newUnfundedAgent, node, test } from '../../testing/ledger-test.ts'
import { type Integrator, openIntegrator } from './integrator.ts'
import { checkWholeLog } from './testing/log-check.ts'
import { integrateAll, type LogStage, openLogStage, recordSome } from './testing/log-stage.ts'
import { verifyEntry } from './verify-entry.ts'

const ENTRIES = 6
const PAYMENTS = 3
let stage: LogStage
let integrator: Integrator
let putBack: () => Promise<void>
let entries: Uuid[]
let payments: Uuid[]

/** A small log of entries and payments, some of each in one commit. */
test.beforeAll(async () => {
  stage = await openLogStage(database, clock)
  integrator = openIntegrator(stage)
  const payer = await newFundedAgent(1_000_000n)
  const payee = await newUnfundedAgent()
  entries = [...(await recordSome(stage, 1)), ...(await recordSome(stage, ENTRIES - 1))]
  for (let made = 0; made < PAYMENTS; made++) {
    clock.advance(1)
    await node.pay(order(payer, payee, 100n, { reference: 'r', note: 'n', idempotencyKey: `${made}` }))
  }
  await integrateAll(stage)
  const paid = await database.query<{ id: Uuid }>(
    `select id from transfers where kind = 'payment' order by id`,
  )
  payments = paid.map(({ id }) => id)
  putBack = await keepTables(database, [
    'audit_entries',
    'audit_tiles',
    'audit_tree',
    'audit_queue',
    'audit_refused',
    'transfers',
  ])
})

/** Expects that nothing was changed: the log check and the verification of entries both succeed. */
beforeEach(async () => {
  await expectIntact()
})

async function expectIntact(): Promise<void> {
  await putBack()
  expect(await checkWholeLog(stage)).toEqual([])
  for (const id of [...entries, ...payments]) expect(await reasonOf(id)).toBe('ok')
}

async function reasonOf(id: Uuid): Promise<string> {
  const caller = { kind: 'admin', phone: '9876543210', sessionId: id } as const
  const { valid, reason } = await verifyEntry(stage, integrator, caller, formatId('aud', id))
  expect(valid).toBe(reason === 'ok')
  return reason
}

async function tamper(statement: string, values: readonly unknown[] = []): Promise<void> {
  const rows = await database.query(`${statement} returning 1 as changed`, values)
  expect(rows.length).toBeGreaterThan(0)
}

const subjects = (faults: readonly Finding[]) => new Set(faults.map(({ subject }) => subject))

/** Expects that the log check and the verification both find exactly these entries. */
async function expectFound(tampered: readonly Uuid[], because: string): Promise<void> {
  const found = subjects(await checkWholeLog(stage))
  for (const id of [...entries, ...payments]) {
    const isTampered = tampered.includes(id)
    expect.soft(found.has(formatId('aud', id)), `${because}: the walk finds ${id}`).toBe(isTampered)
    expect.soft((await reasonOf(id)) !== 'ok', `${because}: ${id} does not verify`).toBe(isTampered)
  }
  await putBack()
}

test('an edit of any column of any entry is found', async () => {
  const changes = await changesOfColumns(database, 'audit_entries')
  expect(changes.length).toBeGreaterThan(10)
  for (const { column, set } of changes) {
    // Only an app has a name that could be removed, and none of these was an app.
    if (column === 'actor_name' && set === 'null') continue
    await tamper(`update audit_entries set ${column} = ${set}`)
    await expectFound(entries, `${column} = ${set}`)
  }
})

test('an edit of any column of any payment is found', async () => {
  const changes = await changesOfColumns(database, 'transfers')
  expect(changes.length).toBeGreaterThan(20)
  for (const { column, set } of changes) {
    // A payment has no linked_id that could be removed.
    if (column === 'linked_id' && set === 'null') continue
    await tamper(`update transfers set ${column} = ${set} where kind = 'payment'`)
    await expectFound(payments, `${column} = ${set}`)
  }
})

test('the deletion of any entry or payment is found', async () => {
  for (const id of entries) {
    await tamper('delete from audit_entries where id = $1', [id])
    await expectFound([id], 'deleted')
  }
  for (const id of payments) {
    await tamper('delete from transfers where id = $1', [id])
    await expectFound([id], 'deleted')
  }
})

/** All columns except the id. */
async function contentColumns(table: string): Promise<string> {
  const changes = await changesOfColumns(database, table)
  return [...new Set(changes.map(({ column }) => column))].filter(column => column !== 'id').join(', ')
}

function pairsOf(ids: readonly Uuid[]): (readonly [Uuid, Uuid])[] {
  return ids.flatMap((one, index) => ids.slice(index + 1).map(other => [one, other] as const))
}

test.each([
  ['audit_entries', () => entries],
  ['transfers', () => payments],
])('two rows of %s with exchanged contents are both found', async (table, ids) => {
  const columns = await contentColumns(table)
  for (const [one, other] of pairsOf(ids())) {
    await database.query(`delete from ${table} where id = any($1::uuid[])`, [[one, other]])
    await tamper(
      `insert into ${table} (id, ${columns}) select case id when $1::uuid then $2::uuid else $1::uuid end, ${columns}
       from ${table}_kept where id = any($3::uuid[])`,
      [one, other, [one, other]],
    )
    await expectFound([one, other], 'exchanged')
  }
})

test('two leaves with exchanged ids are both found', async () => {
  for (const [one, other] of pairsOf([...entries, ...payments])) {
    await tamper(
      `update audit_tiles set ids = array_replace(array_replace(array_replace(ids, $1, $3), $2, $1), $3, $2)
       where level = 0`,
      [one, other, newUuid(clock.now())],
    )
    await expectFound([one, other], 'exchanged in the tree')
  }
})

test('a leaf that was given another’s id is found, and so is the entry that has lost its leaf', async () => {
  const [one, other] = [entries[0] ?? '', payments[0] ?? '']
  await tamper('update audit_tiles set ids = array_replace(ids, $1, $2) where level = 0', [one, other])
  const kinds = (await checkWholeLog(stage)).map(({ subject, kind }) => [subject, kind])
  expect(kinds).toContainEqual([formatId('aud', one), 'not_in_log'])
  expect(kinds).toContainEqual([formatId('aud', other), 'doubled_leaf'])
  expect(await reasonOf(one)).toBe('not_in_log')
})

test('an entry or payment that was stored a second time is found, in either table', async () => {
  const rest = await contentColumns('transfers')
  const id = payments[0] ?? ''
  await tamper(
    `insert into transfers (id, ${rest}) select id, ${rest.replace('debit_account', 'credit_account')}
     from transfers where id = $1`,
    [id],
  )
  await expectFound([id], 'two transfers')
  await tamper(
    `insert into audit_entries (id, ${await contentColumns('audit_entries')})
     select $1, ${await contentColumns('audit_entries')} from audit_entries where id = $2`,
    [id, entries[0]],
  )
  await expectFound([id], 'a payment that is an entry too')
})

test('an invented entry is found, whatever its date', async () => {
  const columns = await contentColumns('audit_entries')
  for (const id of [
    newUuid(clock.now()),
    newUuid(new Date('2020-01-01T00:00:00.000Z')),
    newUuid(new Date('2030-01-01T00:00:00.000Z')),
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ]) {
    await tamper(
      `insert into audit_entries (id, ${columns}) select $1, ${columns} from audit_entries where id = $2`,
      [id, entries[0]],
    )
    expect(await checkWholeLog(stage)).toMatchObject([{ subject: formatId('aud', id), kind: 'not_in_log' }])
    expect(await reasonOf(id)).toBe('not_in_log')
    await putBack()
  }
})

test('an invented payment is found', async () => {
  const columns = await contentColumns('transfers')
  const id = newUuid(clock.now())
  await tamper(
    `insert into transfers (id, ${columns})
     select $1, ${columns.replace('idempotency_key', 'null')} from transfers where id = $2`,
    [id, payments[0]],
  )
  expect(await checkWholeLog(stage)).toMatchObject([{ subject: formatId('aud', id), kind: 'not_in_log' }])
  expect(await reasonOf(id)).toBe('altered')
})

test('a queued entry is not reported as missing, unless it was deleted from the queue', async () => {
  const [waiting] = await recordSome(stage, 1)
  expect(await checkWholeLog(stage)).toEqual([])
  await tamper('delete from audit_queue')
  expect(await checkWholeLog(stage)).toMatchObject([
    { subject: formatId('aud', waiting ?? ''), kind: 'not_in_log' },
  ])
  expect(await reasonOf(waiting ?? '')).toBe('not_in_log')
})

test('an edit of any column of a queued row is found, before and after it is appended', async () => {
  for (const { column, set } of await changesOfColumns(database, 'audit_queue')) {
    const [waiting] = await recordSome(stage, 2)
    await tamper(`update audit_queue set ${column} = ${set}`)
    expect.soft(await checkWholeLog(stage), `${column} = ${set}`).not.toEqual([])
    await integrator.catchUp()
    expect.soft(await checkWholeLog(stage), `${column} = ${set}`).toContainEqual({
      subject: formatId('aud', waiting ?? ''),
      kind: 'not_in_log',
      detail: 'it is neither in the tree nor in the queue',
    })
    expect.soft(await reasonOf(waiting ?? ''), `${column} = ${set}`).toBe('not_in_log')
    await putBack()
  }
})

test('an invented or repeated row of the queue is never appended to the tree', async () => {
  const size = () => database.query('select size from audit_tree')
  const before = await size()
  await recordSome(stage, 1)
  await database.query('create table queue_seen as table audit_queue')
  await integrateAll(stage)
  await tamper('insert into audit_queue table queue_seen')
  await integrator.catchUp()
  expect(await checkWholeLog(stage)).toMatchObject([{ kind: 'forged_queue', detail: 'it was refused' }])
  await putBack()
  await tamper(`insert into audit_queue select gen_random_uuid(), ids, hashes, seal from queue_seen`)
  expect(await checkWholeLog(stage)).toMatchObject([{ kind: 'forged_queue' }])
  await integrator.catchUp()
  expect(await size()).toEqual(before)
})
