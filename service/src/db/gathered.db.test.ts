import { beforeEach, expect } from 'vitest'
import { database, test } from '../testing/database-test.ts'
import type { Queryable } from './database.ts'
import { type Gathered, type KeyedRead, openGathered, rowOf, rowsOf, rowsOfAll } from './gathered.ts'

interface Note {
  readonly key: string
  readonly text: string
}

const NOTES: KeyedRead<Note> = {
  text: 'select key, text from notes where key = any($1::text[]) order by text',
  keyOf: ({ key }) => key,
}

let gathered: Gathered
/** The keys of each statement that was sent, and the statements that wait until they are let go. */
let sent: number[]
let gate: Promise<void> | null

test.beforeAll(async () => {
  await database.query('create table notes (key text not null, text text not null)')
  await database.query(
    `insert into notes select 'key ' || n, 'text ' || n from generate_series(1, 500) n
     union all values ('a "quoted\\ key', 'odd'), ('twice', 'first'), ('twice', 'second')`,
  )
})
beforeEach(() => {
  sent = []
  gate = null
  const counted: Pick<Queryable, 'query'> = {
    async query(text, values) {
      const [keys] = await database.query<{ count: number }>(
        'select cardinality($1::text[]) as count',
        values,
      )
      sent.push(keys?.count ?? 0)
      await gate
      return database.query(text, values)
    },
  }
  gathered = openGathered(counted)
})

const textOf = async (key: string) => (await gathered(NOTES, key)).map(({ text }) => text)

test('reads of one moment share a statement, and each gets its own rows', async () => {
  const keys = ['key 3', 'twice', 'missing', 'a "quoted\\ key', 'key 3']
  expect(await Promise.all(keys.map(textOf))).toEqual([
    ['text 3'],
    ['first', 'second'],
    [],
    ['odd'],
    ['text 3'],
  ])
  expect(sent).toEqual([4])
})

test('a statement has at most a hundred keys', async () => {
  const texts = await Promise.all(Array.from({ length: 250 }, (_, index) => textOf(`key ${index + 1}`)))
  expect(texts).toEqual(Array.from({ length: 250 }, (_, index) => [`text ${index + 1}`]))
  expect(sent.toSorted((one, other) => one - other)).toEqual([50, 100, 100])
})

test('while two statements are in progress, all further reads wait for one statement', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const reads: Promise<string[]>[] = []
  for (const key of ['key 1', 'key 2', 'key 3', 'key 4', 'key 5']) {
    reads.push(textOf(key))
    await new Promise(setImmediate)
  }
  await expect.poll(() => sent).toEqual([1, 1])
  resolve()
  expect((await Promise.all(reads)).flat()).toEqual(['text 1', 'text 2', 'text 3', 'text 4', 'text 5'])
  expect(sent).toEqual([1, 1, 3])
})

test('a read sees what was committed before it was asked for, also while an earlier one of its key is in progress', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const early = textOf('new')
  await expect.poll(() => sent).toEqual([1])
  await database.query(`insert into notes values ('new', 'committed')`)
  const late = textOf('new')
  resolve()
  await early
  expect(await late).toEqual(['committed'])
})

test('when a statement fails, the reads that shared it fail, and later ones are served', async () => {
  let fails = true
  const failing = openGathered({
    query: (text, values) =>
      fails ? Promise.reject(new Error('no connection')) : database.query(text, values),
  })
  const failed = await Promise.allSettled([failing(NOTES, 'key 1'), failing(NOTES, 'key 2')])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  for (let turn = 0; turn < 3; turn++) expect(await failing(NOTES, 'key 1')).toHaveLength(1)
})

test('in a transaction a read is a statement of its own, which sees what the transaction wrote', async () => {
  await database.inTransaction(async tx => {
    await tx.query(`insert into notes values ('inside', 'here')`)
    expect(await rowOf(tx, NOTES, 'inside')).toMatchObject({ text: 'here' })
    expect(await rowsOfAll(tx, NOTES, ['inside', 'twice'])).toHaveLength(3)
    expect(await rowsOf(database, NOTES, 'inside')).toEqual([])
  })
  expect(await rowsOfAll(database, NOTES, ['inside', 'inside', 'twice', 'missing'])).toHaveLength(3)
})
