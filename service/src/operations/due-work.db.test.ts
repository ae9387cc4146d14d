import { afterAll, beforeEach, expect } from 'vitest'
import { type Database, openDatabase } from '../db/database.ts'
import { DatabaseUnavailable } from '../db/errors.ts'
import { AlteredRow } from '../db/row-mac.ts'
import { newUuid, type Uuid } from '../kernel/ids.ts'
import { createLogger } from '../kernel/logger.ts'
import { TEST_VAULT } from '../testing/database.ts'
import { db, test } from '../testing/database-test.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { type DueContext, type DueRows, dueWork, leasedRows, pagedRows } from './due-work.ts'
import type { Job } from './jobs.ts'

interface Task {
  readonly id: Uuid
  readonly attempts: number
  readonly isGenuine: boolean
}

const AT_ONCE = 10
const LEASE_MS = 30_000

const leased = leasedRows<Task, Task>({
  table: 'tasks',
  key: ['id'],
  due: 'due_at',
  lease: `interval '30 seconds'`,
  counting: 'attempts = r.attempts + 1',
  only: 'not r.is_blocked',
  atOnce: AT_ONCE,
  selected: 'r.id, r.attempts, r.is_genuine as "isGenuine"',
  proven: (_vault, task) => proven(task),
})

const paged = pagedRows<Task>(
  AT_ONCE,
  `select id, attempts, is_genuine as "isGenuine", due_at::text as "dueAt" from tasks
   where due_at <= $1 and (due_at, id) > ($2, $3) order by due_at, id limit $4`,
)

function proven(task: Task): Task {
  if (!task.isGenuine) throw new AlteredRow('tasks', task.id, 'has no MAC that fits')
  return task
}

const START = new Date('2026-11-20T06:30:00.000Z')
const clock = manualClock(START)
let second: Database
let lines: Record<string, unknown>[]

test.beforeAll(async () => {
  second = openDatabase(db.url)
  await db.database.query(
    `create table tasks (id uuid primary key, due_at timestamptz, attempts int4 not null default 0,
       is_genuine boolean not null, is_blocked boolean not null)`,
  )
})

beforeEach(async () => {
  await db.database.query('truncate tasks')
  clock.set(START)
  lines = []
})

afterAll(async () => {
  await second.close()
})

/** Inserts rows, each of which fell due a millisecond after the one before; the last one is due now. */
async function insertTasks(count: number, { isGenuine = true, isBlocked = false } = {}): Promise<Uuid[]> {
  const now = clock.now().getTime()
  const ids = Array.from({ length: count }, () => newUuid(clock.now()))
  for (const [at, id] of ids.entries()) {
    await db.database.query(
      'insert into tasks (id, due_at, is_genuine, is_blocked) values ($1, $2, $3, $4)',
      [id, new Date(now - (count - 1 - at)), isGenuine, isBlocked],
    )
  }
  return ids
}

function contextOf(database: Database): DueContext {
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
  return { database, vault: TEST_VAULT, logger: createLogger('info', { write }) }
}

function jobOf(rows: DueRows<Task>, work: (task: Task) => Promise<unknown>, database = db.database): Job {
  const declared = dueWork<DueContext, Task>({
    name: 'tasks',
    rows,
    work: (_context, task) => work(task),
    failure: 'task failed; it will be retried',
    ids: ({ id }) => ({ task_id: id }),
  })
  return declared(contextOf(database))
}

const done = async (id: Uuid) => {
  await db.database.query('update tasks set due_at = null where id = $1', [id])
}
const run = (job: Job) => job.run(clock.now())

async function drain(job: Job): Promise<void> {
  while ((await run(job)) > 0);
}

test('two nodes never claim the same row, and together they claim every one', async () => {
  const ids = await insertTasks(200)
  const claimed: Uuid[] = []
  const jobOn = (database: Database) => jobOf(leased, async ({ id }) => claimed.push(id), database)
  await Promise.all([db.database, second, db.database, second].map(database => drain(jobOn(database))))
  expect(claimed.toSorted()).toEqual(ids.toSorted())
})

test('a claim takes a bounded number of rows, those that have been due longest', async () => {
  const later = await insertTasks(5)
  clock.advance(-1_000)
  const earlier = await insertTasks(AT_ONCE)
  clock.advance(1_000)
  const claimed: Uuid[] = []
  const job = jobOf(leased, async ({ id }) => claimed.push(id))
  expect(await run(job)).toBe(AT_ONCE)
  expect(claimed.toSorted()).toEqual(earlier.toSorted())
  expect([await run(job), await run(job)]).toEqual([5, 0])
  expect(claimed.slice(AT_ONCE).toSorted()).toEqual(later.toSorted())
})

test('a row that a transaction has locked keeps no claim waiting, and is claimed once it is free', async () => {
  const [locked = '', ...free] = await insertTasks(3)
  const claimed: Uuid[] = []
  const job = jobOf(leased, async ({ id }) => claimed.push(id))
  await second.inTransaction(async tx => {
    await tx.query('select id from tasks where id = $1 for update', [locked])
    expect(await run(job)).toBe(2)
  })
  expect(claimed.toSorted()).toEqual(free.toSorted())
  expect(await run(job)).toBe(1)
  expect(claimed.at(-1)).toBe(locked)
})

test('claimed rows that failed or were altered count as claimed, so that a job goes on with the rows after them', async () => {
  await insertTasks(AT_ONCE, { isGenuine: false })
  clock.advance(1_000)
  await insertTasks(3)
  const job = jobOf(leased, () => Promise.reject(new Error('it broke')))
  expect([await run(job), await run(job), await run(job)]).toEqual([AT_ONCE, 3, 0])
})

test('a row is claimed neither before it is due nor while its condition does not hold', async () => {
  await insertTasks(1, { isBlocked: true })
  clock.advance(1)
  await insertTasks(1)
  clock.advance(-1)
  const job = jobOf(leased, async () => undefined)
  expect(await run(job)).toBe(0)
  clock.advance(1)
  expect(await run(job)).toBe(1)
})

test('a row whose worker crashed is claimed by another node when its lease has expired, and its attempt counts', async () => {
  await insertTasks(1)
  const attempts: number[] = []
  await leased.open()(contextOf(db.database), clock.now())
  const job = jobOf(leased, async task => attempts.push(task.attempts), second)
  clock.advance(LEASE_MS - 1)
  expect(await run(job)).toBe(0)
  clock.advance(1)
  expect(await run(job)).toBe(1)
  expect(attempts).toEqual([2])
})

test.each([
  ['leased', leased],
  ['paged', paged],
] as const)(
  'a failure in %s rows is logged with the ids of its row, and the other rows are done',
  async (_kind, rows) => {
    const [broken = '', away = '', ...others] = await insertTasks(5)
    const finished: Uuid[] = []
    const job = jobOf(rows, async ({ id }) => {
      if (id === broken) throw new Error('it broke')
      if (id === away) throw new DatabaseUnavailable('The database is not available')
      finished.push(id)
      await done(id)
    })
    await drain(job)
    expect(finished.toSorted()).toEqual(others.toSorted())
    const failure = { msg: 'task failed; it will be retried' }
    expect(lines.filter(line => line['task_id'] === broken)[0]).toMatchObject({
      ...{ level: 'error', ...failure },
      err: { message: 'it broke' },
    })
    // One that passes by itself has no stack.
    const [passing] = lines.filter(line => line['task_id'] === away)
    expect(passing).toMatchObject({ level: 'warn', reason: 'The database is not available', ...failure })
    expect(passing).not.toHaveProperty('err')
  },
)

test.each([
  ['leased', leased],
  ['paged', paged],
] as const)(
  'however many altered rows there are among %s ones, genuine rows are done and only they',
  async (_kind, rows) => {
    await insertTasks(3 * AT_ONCE + 1, { isGenuine: false })
    clock.advance(1_000)
    const genuine = await insertTasks(AT_ONCE + 1)
    const finished: Uuid[] = []
    const job = jobOf(rows, async task => {
      finished.push(proven(task).id)
      await done(task.id)
    })
    for (let runs = 0; runs < 6; runs++) await run(job)
    expect(finished).toEqual(genuine)
    expect(lines).toEqual([])
  },
)

test('a paged row that could not be done stays due, does not count as done, and is tried again after the last row', async () => {
  const ids = await insertTasks(2 * AT_ONCE + 1)
  const tried: Uuid[] = []
  const job = jobOf(paged, async ({ id }) => {
    tried.push(id)
    return false
  })
  for (let runs = 0; runs < 3; runs++) expect(await run(job)).toBe(0)
  expect(tried).toEqual(ids)
  await run(job)
  expect(tried.slice(ids.length)).toEqual(ids.slice(0, AT_ONCE))
})

test('paged rows that fell due within one millisecond are all found', async () => {
  await db.database.query(
    `insert into tasks (id, due_at, is_genuine, is_blocked)
     select gen_random_uuid(), $1::timestamptz - n % 7 * interval '1 microsecond', true, false from generate_series(1, 100) n`,
    [START],
  )
  const tried = new Set<Uuid>()
  const job = jobOf(paged, async ({ id }) => {
    tried.add(id)
    return false
  })
  for (let runs = 0; runs < 11; runs++) await run(job)
  expect(tried.size).toBe(100)
})

test('at most as many rows as declared are worked on at the same time', async () => {
  await insertTasks(AT_ONCE)
  let [running, most] = [0, 0]
  const declared = dueWork<DueContext, Task>({
    name: 'tasks',
    rows: leased,
    async work({ database }) {
      most = Math.max(most, ++running)
      await database.query('select 1')
      running--
    },
    concurrency: 2,
    failure: 'task failed',
    ids: ({ id }) => ({ task_id: id }),
  })
  await declared(contextOf(db.database)).run(clock.now())
  expect(most).toBe(2)
})
