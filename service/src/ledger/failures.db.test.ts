import { afterAll, describe, expect } from 'vitest'
import { type Database, DatabaseUnavailable, openDatabase } from '../db/database.ts'
import { AppError, refuse } from '../kernel/app-error.ts'
import { systemClock } from '../kernel/clock.ts'
import { newUuid, type Uuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import { balanceOf, expectBalanced, fund, insertAgent, startNode } from '../testing/builders.ts'
import { db, test } from '../testing/database-test.ts'
import { type Fault, faultyDatabase } from '../testing/faulty-database.ts'
import { SYSTEM } from './accounts.ts'
import type { Command } from './command.ts'
import { type LedgerBatch, type Posting, read, readerById, type Writer } from './ledger-batch.ts'
import { postedIds } from './transfers.ts'

const clock = systemClock()

test.beforeAll(async () => {
  await db.database.query('create table marks (id uuid primary key, size int check (size < 10))')
})

afterAll(async () => {
  await expectBalanced(db.database)
})

interface Mark {
  readonly id: Uuid
  readonly size: number
}

const marks: Writer<Mark> = {
  name: 'marks',
  write: (tx, rows) =>
    tx.query('insert into marks select v.id, v.size from unnest($1::uuid[], $2::int[]) v(id, size)', [
      rows.map(row => row.id),
      rows.map(row => row.size),
    ]),
}

/** Fails before it is sent. */
const unsendable: Writer<object> = {
  name: 'unsendable',
  async write() {
    throw new TypeError('cannot be encoded')
  },
}

const unreadable = readerById<object>('unreadable', tx =>
  tx.query('select 1 / 0 as never', []).then(() => []),
)

const impolite = readerById<object>('impolite', async () => {
  throw new AppError('gateway_error', 'of this command alone')
})

const postedTransfers = readerById<object>('posted transfers', async (tx, ids) =>
  [...(await postedIds(tx, ids))].map(id => [id, { id }]),
)

const fundingOf = (id: Uuid): Posting => ({
  kind: 'fund',
  debit: SYSTEM.gateway,
  credit: id,
  amountPaise: paise(1_000n),
})

const newMark = (size: number): Mark => ({ id: newUuid(clock.now()), size })

/** Each command posts and writes something, and then fails in its own way. */
const BAD: Record<string, (id: Uuid) => Pick<Command<object>, 'decide'> & Partial<Command<object>>> = {
  'throws after it has posted': id => ({
    decide(batch) {
      batch.post(fundingOf(id))
      throw new Error('the end')
    },
  }),
  'throws a refusal after it has posted': id => ({
    decide(batch) {
      batch.post(fundingOf(id))
      throw new AppError('conflict', 'the end')
    },
  }),
  'refuses after it has posted': id => ({
    decide(batch) {
      batch.post(fundingOf(id))
      return refuse('conflict', 'the end')
    },
  }),
  'throws after it has written': () => ({
    decide(batch) {
      batch.write(marks, newMark(1))
      throw new Error('the end')
    },
  }),
  'posts what cannot be': id => ({
    decide: batch => batch.post({ ...fundingOf(id), credit: newUuid(clock.now()) }),
  }),
  'violates a constraint': id => ({
    decide(batch) {
      batch.write(marks, newMark(10))
      return batch.post(fundingOf(id))
    },
  }),
  'writes what cannot be sent': id => ({
    decide(batch) {
      batch.write(unsendable, {})
      return batch.post(fundingOf(id))
    },
  }),
  'needs what cannot be read': id => ({
    reads: [read(unreadable, 'x')],
    decide: batch => batch.post(fundingOf(id)),
  }),
  'needs what throws a refusal': id => ({
    reads: [read(impolite, 'x')],
    decide: batch => batch.post(fundingOf(id)),
  }),
  'breaks in a step': id => ({
    phases: [
      () => {
        throw new Error('the end')
      },
    ],
    decide: batch => batch.post(fundingOf(id)),
  }),
}

describe('a command of a batch that', () => {
  test.each(Object.entries(BAD))('%s fails alone and writes nothing', async (_what, badCommand) => {
    const node = startNode({ database: db.database, clock, committers: 1 })
    const neighbours = await Promise.all(
      Array.from({ length: 6 }, () => insertAgent(db.database, clock.now())),
    )
    const bad = await insertAgent(db.database, clock.now())
    const marksBefore = await countMarks()

    const good = (id: Uuid) =>
      node.ledger.submit({
        accounts: [id, bad],
        reads: [],
        decide(batch: LedgerBatch) {
          batch.write(marks, newMark(1))
          return batch.post(fundingOf(id))
        },
      })
    const works = [
      ...neighbours.slice(0, 3).map(good),
      node.ledger.submit({ accounts: [bad], reads: [], ...badCommand(bad) }),
      ...neighbours.slice(3).map(good),
    ]
    const outcomes = await Promise.allSettled(works)
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled'],
      'rejected',
      ...['fulfilled', 'fulfilled', 'fulfilled'],
    ])
    expect(await balanceOf(db.database, bad)).toBe(0n)
    for (const id of neighbours) expect(await balanceOf(db.database, id)).toBe(1_000n)
    expect((await countMarks()) - marksBefore).toBe(6)
    await expectBalanced(db.database)
    await node.ledger.close()
  })

  async function countMarks(): Promise<number> {
    const rows = await db.database.query<{ count: number }>('select count(*)::int4 as count from marks')
    return rows[0]?.count ?? -1
  }
})

describe('a connection cut', () => {
  /** A node whose first statement with this beginning fails. */
  function nodeWith(fault: Fault, at: string, more: Partial<Pick<Database, 'inTransaction'>> = {}) {
    const state = { left: 1, fault, at }
    const database = faultyDatabase({ ...db.database, ...more }, text => {
      if (!text.trimStart().startsWith(state.at) || state.left === 0) return 'none'
      state.left--
      return state.fault
    })
    return { node: startNode({ database, clock, committers: 1 }), state }
  }

  test.each<[Fault, string]>([
    ['cut before it is sent', 'update accounts'],
    ['cut while it waits', 'update accounts'],
    ['cut before it is sent', 'insert into transfers'],
    ['cut before it is sent', 'commit'],
    ['cut while it waits', 'commit'],
    ['cut while it runs', 'commit'],
    ['cut after the response', 'commit'],
  ])('(%s %s) after the decision loses no command and posts each one once', async (fault, at) => {
    const { node, state } = nodeWith(fault, at)
    const wallets = await Promise.all(Array.from({ length: 5 }, () => insertAgent(db.database, clock.now())))
    const transfers = await Promise.all(wallets.map(id => fund(node.ledger, id, 1_000n)))
    expect(state.left).toBe(0)
    for (const id of wallets) expect(await balanceOf(db.database, id)).toBe(1_000n)
    const ids = transfers.map(({ id }) => id)
    const [row] = await db.database.query<{ count: number }>(
      'select count(*)::int4 as count from transfers where id = any($1)',
      [ids],
    )
    expect(row?.count).toBe(5)
    await node.ledger.close()
  })

  test.each<[Fault, string]>([
    ['cut before it is sent', 'begin'],
    ['cut while it waits', 'begin'],
    ['cut after the response', 'begin'],
    ['cut while it waits', 'select id, agent_version'],
    ['cut before it is sent', 'set plan_cache_mode'],
  ])('(%s %s) before the decision is refused with 503 and posts nothing', async (fault, at) => {
    const { node, state } = nodeWith(fault, at)
    const id = await insertAgent(db.database, clock.now())
    await expect(fund(node.ledger, id, 1_000n)).rejects.toMatchObject({
      code: 'service_unavailable',
      headers: { 'retry-after': '1' },
    })
    expect(state.left).toBe(0)
    expect(await balanceOf(db.database, id)).toBe(0n)
    await fund(node.ledger, id, 1_000n)
    expect(await balanceOf(db.database, id)).toBe(1_000n)
    await node.ledger.close()
  })

  test('while the server still commits is looked up only after the commit has ended', async () => {
    await db.database.query(`
      create table slow (id int);
      create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.3); return null; end $$;
      create constraint trigger at_commit after insert on slow
        deferrable initially deferred for each row execute function linger()`)
    const slow: Writer<object> = { name: 'slow', write: tx => tx.query('insert into slow values (1)', []) }
    const { node, state } = nodeWith('cut while it runs', 'commit')
    const id = await insertAgent(db.database, clock.now())
    await node.ledger.submit({
      accounts: [id],
      reads: [],
      decide(batch) {
        batch.write(slow, {})
        return batch.post(fundingOf(id))
      },
    })
    expect([state.left, await balanceOf(db.database, id)]).toEqual([0, 1_000n])
    await node.ledger.close()
  })

  test('repeatedly posts nothing twice', async () => {
    const { node, state } = nodeWith('cut before it is sent', 'commit')
    state.left = 3
    const id = await insertAgent(db.database, clock.now())
    await Promise.all(Array.from({ length: 10 }, () => fund(node.ledger, id, 100n)))
    expect([state.left, await balanceOf(db.database, id)]).toEqual([0, 1_000n])
    await node.ledger.close()
  })

  test('is not taken for a commit because another node has posted the transfer whose id was given', async () => {
    const [funded, neighbour] = [
      await insertAgent(db.database, clock.now()),
      await insertAgent(db.database, clock.now()),
    ]
    const id = newUuid(clock.now())
    const givenOnce: Command<object> = {
      accounts: [funded],
      reads: [read(postedTransfers, id)],
      decide: batch => batch.read(postedTransfers, id) ?? batch.post({ ...fundingOf(funded), id }),
    }
    const other = startNode({ database: db.database, clock, committers: 1 })
    const { node, state } = nodeWith('cut before it is sent', 'commit', {
      async inTransaction(work) {
        await other.ledger.submit(givenOnce)
        return db.database.inTransaction(work)
      },
    })
    const works = [node.ledger.submit(givenOnce), fund(node.ledger, neighbour, 1_000n)]
    await Promise.all(works)
    expect(state.left).toBe(0)
    expect(await balanceOf(db.database, funded)).toBe(1_000n)
    expect(await balanceOf(db.database, neighbour)).toBe(1_000n)
    await Promise.all([node.ledger.close(), other.ledger.close()])
  })

  test('is looked up again when the look-up itself fails with any error', async () => {
    let failures = 3
    const database = faultyDatabase(db.database, text =>
      text === 'commit' && failures === 3 ? 'cut after the response' : 'none',
    )
    const errors = [
      new DatabaseUnavailable('away'),
      Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }),
      Object.assign(new Error('deadlock detected'), { code: '40P01' }),
    ]
    const node = startNode({
      database: {
        ...database,
        inTransaction(work) {
          const error = errors[--failures]
          return error === undefined ? db.database.inTransaction(work) : Promise.reject(error)
        },
      },
      clock,
      committers: 1,
    })
    const id = await insertAgent(db.database, clock.now())
    await fund(node.ledger, id, 1_000n)
    expect([failures, await balanceOf(db.database, id)]).toEqual([-1, 1_000n])
    await node.ledger.close()
  })

  test('whose look-up never succeeds is reported as unknown, and nothing is tried again', async () => {
    const database = faultyDatabase(db.database, text =>
      text === 'commit' ? 'cut after the response' : 'none',
    )
    const away = () => Promise.reject(new DatabaseUnavailable('away'))
    const node = startNode({
      database: { ...database, inTransaction: away },
      clock,
      committers: 1,
      lookUpDeadlineSeconds: 0.02,
    })
    const wallets = await Promise.all(Array.from({ length: 3 }, () => insertAgent(db.database, clock.now())))
    const works = await Promise.allSettled(wallets.map(id => fund(node.ledger, id, 1_000n)))
    for (const work of works) {
      expect(work).toMatchObject({ reason: { code: 'service_unavailable', details: { outcome: 'unknown' } } })
    }
    for (const id of wallets) expect(await balanceOf(db.database, id)).toBe(1_000n)
    await node.ledger.close()
  })
})

describe('the queue', () => {
  test('refuses commands with 503 when it is full, and runs all that it accepted', async () => {
    const node = startNode({ database: db.database, clock, maxQueued: 10, maxQueuedOfParty: 10, maxBatch: 3 })
    const id = await insertAgent(db.database, clock.now())
    const works = Array.from({ length: 15 }, () => fund(node.ledger, id, 100n))
    expect(node.ledger.queued()).toBe(10)
    const outcomes = await Promise.allSettled(works)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    for (const refused of outcomes.slice(10)) {
      expect(refused).toMatchObject({
        reason: { code: 'service_unavailable', status: 503, headers: { 'retry-after': '1' } },
      })
    }
    expect(await balanceOf(db.database, id)).toBe(1_000n)
    await node.ledger.close()
  })

  test('is finished by close and accepts no more commands', async () => {
    const node = startNode({ database: db.database, clock, maxBatch: 4 })
    const wallets = await Promise.all(Array.from({ length: 7 }, () => insertAgent(db.database, clock.now())))
    let done = 0
    const works = Array.from({ length: 70 }, async (_, at) => {
      await fund(node.ledger, wallets[at % 7] ?? '', 100n)
      done++
    })
    const late = node.ledger.close().then(() => done)
    await expect(fund(node.ledger, wallets[0] ?? '', 1n)).rejects.toMatchObject({
      code: 'service_unavailable',
    })
    expect(await late).toBe(70)
    await Promise.all([...works, node.ledger.close()])
  })

  test('is closed once when close is called twice at once', async () => {
    const node = startNode({ database: db.database, clock })
    const id = await insertAgent(db.database, clock.now())
    const work = fund(node.ledger, id, 100n)
    await Promise.all([node.ledger.close(), node.ledger.close(), work])
  })
})

test('while the database does not respond, callers learn what is known in time, and the commit goes on', async ({
  db,
}) => {
  const other = openDatabase(db.url)
  const node = startNode({ database: db.database, clock, maxWaitSeconds: 0.2 })
  const id = await insertAgent(db.database, clock.now())
  await other.inTransaction(async tx => {
    await tx.query('select 1 from accounts where id = $1 for update', [id])
    const [first, second] = [fund(node.ledger, id, 100n), nextTurn().then(() => fund(node.ledger, id, 10n))]
    await expect(second).rejects.toThrow('Nothing was done')
    await expect(first).rejects.toMatchObject({ details: { outcome: 'unknown' } })
  })
  await node.ledger.close()
  expect(await balanceOf(db.database, id)).toBe(100n)
  await other.close()
})

/** After the first command was taken out of the queue. */
function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(() => setImmediate(resolve))
  })
}
