import * as fc from 'fast-check'
import { describe, expect } from 'vitest'
import { database, db, test } from '../testing/database-test.ts'
import { DatabaseUnavailable, isConnectionLost, openDatabase, type Queryable } from './database.ts'

test.override('databaseOptions', { maxConnections: 4 })

test.beforeAll(async () => {
  await database.query('create table counters (id int primary key, n int8 not null default 0)')
  await database.query('insert into counters (id) select generate_series(1, 3)')
})

const backendPid = (on: Queryable) => on.query<{ pid: number }>('select pg_backend_pid() as pid', [])
const terminate = async (pid: number) => database.query('select pg_terminate_backend($1, 5000)', [pid])
const fail = (on: Queryable, code: string) =>
  on.query(`do $$ begin raise exception using errcode = '${code}'; end $$`)
const countOf = async (id: number) => {
  const [row] = await database.query<{ n: bigint }>('select n from counters where id = $1', [id])
  return row?.n
}

describe('values', () => {
  test('a value of every type is read back equal, in its TypeScript type', async () => {
    const moment = new Date('2026-11-20T18:30:00.123Z')
    const uuid = '0193c5a0-0000-7000-8000-000000000001'
    const values = [
      2n ** 62n + 1n,
      '12.30',
      moment,
      uuid,
      Buffer.from([0, 255, 92]),
      null,
      true,
      { note: 'a "b"' },
    ]
    const rows = await database.query(
      'select $1::int8 a, $2::numeric b, $3::timestamptz c, $4::uuid d, $5::bytea e, $6::text f, $7::bool g, $8::jsonb h',
      values,
    )
    const [a, b, c, d, e, f, g, h] = values
    expect(rows).toEqual([{ a, b, c, d, e, f, g, h }])
  })

  test('a date and a time without zone stay text, whatever the zone of this process', async () => {
    const rows = await database.query(
      `select '2026-03-01'::date as day, '2026-03-01 10:00'::timestamp as local`,
      [],
    )
    expect(rows).toEqual([{ day: '2026-03-01', local: '2026-03-01 10:00:00' }])
  })

  test('any array of text is stored item by item as it was sent', async () => {
    const text = fc.string({ unit: 'grapheme' }).map(sent => sent.replaceAll('\0', ''))
    const odd = fc.constantFrom('', 'NULL', 'null', '"', '\\', '\\"', '{}', 'a,b', ' ', '\\x00', '\n')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(fc.oneof(text, odd))), async sent => {
        const [row] = await database.query<{ items: unknown[] }>('select $1::text[] as items', [sent])
        expect(row?.items).toEqual(sent)
      }),
      { numRuns: 200 },
    )
  })

  test('arrays of money, moments and bytes keep their types', async () => {
    const sent = [
      [1n, -(2n ** 63n), null],
      [new Date(0), null],
      [Buffer.from([0, 34, 92]), Buffer.alloc(0)],
      [true, false],
    ]
    const rows = await database.query(
      'select $1::int8[] a, $2::timestamptz[] b, $3::bytea[] c, $4::bool[] d',
      sent,
    )
    const [a, b, c, d] = sent
    expect(rows).toEqual([{ a, b, c, d }])
  })

  test('a value that cannot be sent is refused and leaves its statement usable', async () => {
    const text = 'select $1::text as said'
    await expect(database.query(text, [Symbol('no')])).rejects.toThrow(TypeError)
    await expect(database.query(text, [{ amount: 1n }])).rejects.toThrow(TypeError)
    expect(await database.query(text, ['yes'])).toEqual([{ said: 'yes' }])
  })
})

describe('a transaction', () => {
  test('that lost a race is run again as a whole', async () => {
    let attempts = 0
    await database.inTransaction(async tx => {
      attempts += 1
      await tx.query('set transaction isolation level repeatable read')
      await tx.query('select n from counters where id = 1', [])
      if (attempts === 1) await database.query('update counters set n = n + 10 where id = 1', [])
      await tx.query('update counters set n = n + 1 where id = 1', [])
    })
    expect(attempts).toBe(2)
    expect(await countOf(1)).toBe(11n)
  })

  test.each(['40001', '40P01'])('gives up after five attempts that fail with %s', async code => {
    let attempts = 0
    const work = database.inTransaction(async tx => {
      attempts += 1
      await fail(tx, code)
    })
    await expect(work).rejects.toMatchObject({ code })
    expect(attempts).toBe(5)
  })

  test('that fails for any other reason is not run again and leaves nothing behind', async () => {
    let attempts = 0
    const work = database.inTransaction(async tx => {
      attempts += 1
      await tx.query('update counters set n = n + 1 where id = 2', [])
      await tx.query('insert into counters (id) values (1)', [])
    })
    await expect(work).rejects.toMatchObject({ code: '23505', constraint: 'counters_pkey' })
    expect(attempts).toBe(1)
    expect(await countOf(2)).toBe(0n)
  })

  test('whose work caught a failed statement does not count as committed', async () => {
    const work = database.inTransaction(async tx => {
      await tx.query('update counters set n = n + 1 where id = 2', [])
      await fail(tx, '22000').catch(() => undefined)
    })
    await expect(work).rejects.toThrow('nothing was committed')
    expect(await countOf(2)).toBe(0n)
  })

  test('accepts no queries after its end', async () => {
    const kept = await database.inTransaction(async tx => tx)
    await expect(kept.query('select 1')).rejects.toThrow('an await is missing')
  })
})

describe('a lost connection', () => {
  test('fails its query as DatabaseUnavailable, and the next query has a new one', async () => {
    const work = database.inTransaction(tx => tx.query('select pg_terminate_backend(pg_backend_pid())', []))
    await expect(work).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(await database.query('select 1 as one', [])).toEqual([{ one: 1 }])
  })

  test('that was idle is reported and replaced', async () => {
    const { promise: reported, resolve } = Promise.withResolvers<Error>()
    const other = openDatabase(db.url, { maxConnections: 1, onError: resolve })
    const [before] = await backendPid(other)
    await terminate(before?.pid ?? 0)
    expect(isConnectionLost(await reported)).toBe(true)
    const [after] = await backendPid(other)
    expect(after?.pid).not.toBe(before?.pid)
    await other.close()
  })

  test('during commit says that the outcome must be looked up', async () => {
    await database.query(`
      create table fatal (id int);
      create function hang_up() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
      create constraint trigger at_commit after insert on fatal
        deferrable initially deferred for each row execute function hang_up()`)
    const work = database.inTransaction(tx => tx.query('insert into fatal values (1)', []))
    await expect(work).rejects.toMatchObject({ name: 'DatabaseUnavailable', commitSent: true })
  })

  test('that could not be opened is DatabaseUnavailable too, and the database is not ready', async () => {
    const nowhere = openDatabase('postgresql://nobody:secret@127.0.0.1:1/none')
    await expect(nowhere.query('select 1')).rejects.toBeInstanceOf(DatabaseUnavailable)
    await expect(nowhere.connect()).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(await nowhere.ready()).toBe(false)
    expect(await database.ready()).toBe(true)
    await nowhere.close()
  })

  test('is not caused by a refused row', async () => {
    const single = openDatabase(db.url, { maxConnections: 1 })
    const before = await backendPid(single)
    await expect(single.query('insert into counters (id) values (1)', [])).rejects.toMatchObject({
      code: '23505',
    })
    expect(await backendPid(single)).toEqual(before)
    await single.close()
  })
})

describe('a dedicated connection', () => {
  test('runs what is issued without awaiting in order, and a failure stays with its statement', async () => {
    const connection = await database.connect()
    const responses = await Promise.allSettled([
      connection.query('begin'),
      connection.query('update counters set n = n + 5 where id = 3', []),
      connection.query('select n from counters where id = 3', []),
      connection.query('commit'),
      connection.query('select n from missing_table', []),
      connection.query('select n from counters where id = 3', []),
    ])
    const refused = responses.flatMap((response, at) => (response.status === 'rejected' ? [at] : []))
    expect(refused).toEqual([4])
    expect(responses[5]).toMatchObject({ value: [{ n: 5n }] })
    await connection.query('create table missing_table (n int)')
    expect(await connection.query('select n from missing_table', [])).toEqual([])
    await connection.release()
  })

  test('reports a commit that became a rollback as an error', async () => {
    const connection = await database.connect()
    const responses = await Promise.allSettled([
      connection.query('begin'),
      fail(connection, '22000'),
      connection.query('commit'),
    ])
    expect(responses.map(response => response.status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    await connection.release()
  })

  test('notifies its owner once when it is lost, and fails all waiting statements', async () => {
    const connection = await database.connect()
    const losses: Error[] = []
    connection.onLost(error => losses.push(error))
    const [row] = await backendPid(connection)
    const waiting = [connection.query('select pg_sleep(30)', []), connection.query('select 1', [])]
    const [responses] = await Promise.all([Promise.allSettled(waiting), terminate(row?.pid ?? 0)])
    for (const response of responses)
      expect(response).toMatchObject({ reason: { name: 'DatabaseUnavailable' } })
    await expect(connection.query('select 1')).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(losses).toHaveLength(1)
    connection.onLost(error => losses.push(error))
    expect(losses).toHaveLength(2)
  })

  test('is not reported as lost when its owner ends it', async () => {
    const losses: Error[] = []
    for (const end of ['release', 'destroy'] as const) {
      const connection = await database.connect()
      connection.onLost(error => losses.push(error))
      const last = connection.query('select 1 as one')
      const outcome = expect(last)
      if (end === 'release') await Promise.all([connection.release(), outcome.resolves.toEqual([{ one: 1 }])])
      else {
        connection.destroy()
        await outcome.rejects.toBeInstanceOf(DatabaseUnavailable)
      }
    }
    expect(losses).toEqual([])
  })
})
