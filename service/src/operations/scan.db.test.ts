import { beforeEach, describe, expect } from 'vitest'
import { database, test } from '../testing/database-test.ts'
import { type ManualClock, manualClock } from '../testing/manual-clock.ts'
import { dueEvery, type Finding, readScan, type ScanContext, type Slice, scanSlice } from './scan.ts'

// A scan goes through ten fruits, three in a slice, and writes down those that it has seen.

const NAME = 'fruits'
const FRUITS = 10
const IN_SLICE = 3
const LEASE_MS = 60_000
const ROUND_MS = 15 * 60_000

interface Position {
  readonly after: number
}

let clock: ManualClock
let node: ScanContext
const logged: { subject: string; message: string | undefined }[] = []
/** What each slice finds; tests choose. */
let faultsOf: (seen: readonly number[]) => readonly Finding[]

test.beforeAll(async () => {
  clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  const error = (line: unknown, message?: string) =>
    logged.push({ subject: (line as { fault: Finding }).fault.subject, message })
  node = { database, clock, logger: { error } }
  await database.query(`create table seen (round int8, fruit int4)`)
})
beforeEach(async () => {
  clock.advance(24 * 60 * 60_000)
  logged.length = 0
  faultsOf = () => []
  await database.query(
    `delete from scans where name = '${NAME}'; delete from scan_findings; delete from seen`,
  )
  await database.query(`insert into scans (name) values ('${NAME}')`)
})

function sliceAfter(position: Position | null): Slice<Position> {
  const after = position?.after ?? 0
  const through = Math.min(after + IN_SLICE, FRUITS)
  const fruits = Array.from({ length: through - after }, (_, index) => after + index + 1)
  return {
    next: through === FRUITS ? null : { after: through },
    findings: faultsOf(fruits),
    ...(through === FRUITS ? { result: { fruits: BigInt(FRUITS) } } : {}),
    save: tx =>
      tx.query(`insert into seen select round, unnest($1::int4[]) from scans where name = $2`, [
        fruits,
        NAME,
      ]),
  }
}

type DoSlice = (position: Position | null) => Promise<Slice<Position>>

const slice = (doSlice: DoSlice = async position => sliceAfter(position)) =>
  scanSlice(node, {
    name: NAME,
    leaseMs: LEASE_MS,
    dueSince: dueEvery(ROUND_MS, clock.now()),
    slice: doSlice,
  })

async function wholeRound(): Promise<void> {
  for (;;) {
    const done = await slice()
    if (done === null || done.next === null) return
  }
}

async function seen(): Promise<number[]> {
  const rows = await database.query<{ fruit: number }>(`select fruit from seen order by round, fruit`)
  return rows.map(({ fruit }) => fruit)
}

const status = () => readScan<Position, { fruits: bigint }>(database, NAME)

/** A node that takes the lease and hangs in its slice until it is let go. */
async function hang() {
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const done = slice(async position => {
    reached.resolve()
    await gate.promise
    return sliceAfter(position)
  })
  await reached.promise
  return { done, letGo: () => gate.resolve() }
}

describe('a round', () => {
  test('goes through everything once, in order, and commits each slice with the cursor after it', async () => {
    expect(await status()).toEqual({ finishedAt: null, result: null, cursor: null, openFindings: 0 })
    await slice()
    expect([await seen(), (await status()).cursor]).toEqual([[1, 2, 3], { after: 3 }])
    await wholeRound()
    expect(await seen()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const result = { fruits: 10n }
    expect(await status()).toEqual({ finishedAt: clock.now(), result, cursor: null, openFindings: 0 })
  })

  test('begins when it is due after the beginning of the last one, and at once if that took longer', async () => {
    await wholeRound()
    clock.advance(ROUND_MS - 1)
    expect(await slice()).toBeNull()
    clock.advance(1)
    expect(await slice()).toMatchObject({ next: { after: 3 } })
    clock.advance(2 * ROUND_MS)
    await wholeRound()
    expect(await slice()).toMatchObject({ next: { after: 3 } })
    expect(await seen()).toHaveLength(2 * FRUITS + IN_SLICE)
  })

  test('of several nodes at once is done by one at a time, and each slice once', async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.all([slice(), slice(), slice()])
    expect(await seen()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})

describe('a lease', () => {
  test('keeps other nodes out until it expires; then one of them repeats the slice from the same cursor', async () => {
    await slice()
    await hang()
    clock.advance(LEASE_MS - 1)
    expect(await slice()).toBeNull()
    clock.advance(1)
    expect(await slice()).toMatchObject({ next: { after: 6 } })
    expect(await seen()).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('that was lost in the middle of a slice lets it write nothing: no cursor, row, finding or log line', async () => {
    const hanging = await hang()
    clock.advance(LEASE_MS)
    await slice()
    await slice()
    faultsOf = ([subject]) => [{ subject: `fruit/${subject}`, kind: 'bruised', detail: 'it is soft' }]
    hanging.letGo()
    expect(await hanging.done).toBeNull()
    expect([await seen(), await status()]).toMatchObject([[1, 2, 3, 4, 5, 6], { cursor: { after: 6 } }])
    expect([logged, (await status()).openFindings]).toEqual([[], 0])
  })

  test('that was lost to a node that hangs as well is not released by the first', async () => {
    const first = await hang()
    clock.advance(LEASE_MS)
    const second = await hang()
    first.letGo()
    expect(await first.done).toBeNull()
    expect(await slice()).toBeNull()
    second.letGo()
    expect(await second.done).toMatchObject({ next: { after: 3 } })
    expect(await seen()).toEqual([1, 2, 3])
  })
})

describe('a slice that fails', () => {
  test('is repeated with the same cursor after ten seconds, though its lease is longer', async () => {
    await slice()
    const failing = slice(() => Promise.reject(new Error('the gateway is broken')))
    await expect(failing).rejects.toThrow('the gateway is broken')
    clock.advance(9_999)
    expect(await slice()).toBeNull()
    clock.advance(1)
    expect(await slice()).toMatchObject({ next: { after: 6 } })
  })

  test('while it is saved leaves neither its rows nor its cursor nor its findings', async () => {
    faultsOf = () => [{ subject: 'fruit/1', kind: 'bruised', detail: 'it is soft' }]
    const failing = slice(async position => {
      const { save, ...done } = sliceAfter(position)
      return {
        ...done,
        async save(tx) {
          await save?.(tx)
          throw new Error('no room')
        },
      }
    })
    await expect(failing).rejects.toThrow('no room')
    expect([await seen(), await status(), logged]).toMatchObject([[], { cursor: null, openFindings: 0 }, []])
    clock.advance(10_000)
    await slice()
    expect([await seen(), (await status()).openFindings]).toEqual([[1, 2, 3], 1])
  })
})

describe('a finding', () => {
  const bruised = (fruit: number, detail = 'it is soft'): Finding => ({
    subject: `fruit/${fruit}`,
    kind: 'bruised',
    detail,
  })

  function bruise(...fruits: number[]): void {
    faultsOf = seen => fruits.filter(fruit => seen.includes(fruit)).map(fruit => bruised(fruit))
  }

  async function nextRound(): Promise<void> {
    clock.advance(ROUND_MS)
    await wholeRound()
  }

  const stored = () =>
    database.query(
      `select subject, detail, found_at as "foundAt", healed_at as "healedAt" from scan_findings
       order by subject, scan`,
    )

  test('is recorded and logged once, however many rounds find it, and keeps the time of the first', async () => {
    bruise(2, 9)
    await nextRound()
    const foundAt = clock.now()
    faultsOf = seen =>
      [2, 9].filter(fruit => seen.includes(fruit)).map(fruit => bruised(fruit, 'it is brown'))
    await nextRound()
    expect(logged.map(({ subject, message }) => [subject, message])).toEqual([
      ['fruit/2', 'fruits found a fault'],
      ['fruit/9', 'fruits found a fault'],
    ])
    expect(await stored()).toEqual([
      { subject: 'fruit/2', detail: 'it is brown', foundAt, healedAt: null },
      { subject: 'fruit/9', detail: 'it is brown', foundAt, healedAt: null },
    ])
  })

  test('is resolved at the end of the first round that does not find it, and is logged again if it recurs', async () => {
    bruise(2, 9)
    await nextRound()
    bruise(9)
    clock.advance(ROUND_MS)
    await slice()
    expect((await status()).openFindings).toBe(2)
    await wholeRound()
    expect((await status()).openFindings).toBe(1)
    expect(await stored()).toMatchObject([{ healedAt: clock.now() }, { healedAt: null }])
    bruise(2, 9)
    await nextRound()
    expect(await stored()).toMatchObject([{ foundAt: clock.now(), healedAt: null }, { healedAt: null }])
    expect(logged.map(({ subject }) => subject)).toEqual(['fruit/2', 'fruit/9', 'fruit/2'])
  })

  test('that a slice names twice is one finding, and at most a thousand are recorded and logged', async () => {
    faultsOf = ([first = 0]) =>
      Array.from({ length: 900 }, (_, index) => bruised(first * 10_000 + Math.floor(index / 2)))
    await nextRound()
    await nextRound()
    expect([logged.length, (await status()).openFindings]).toEqual([1_000, 1_000])
  })

  test('of another scan is not touched', async () => {
    await database.query(
      `insert into scan_findings (scan, subject, kind, detail, found_at, seen_round)
       values ('vegetables', 'fruit/2', 'bruised', '', now(), 0)`,
    )
    bruise(2)
    await nextRound()
    bruise()
    await nextRound()
    expect((await status()).openFindings).toBe(0)
    expect(await stored()).toMatchObject([{ healedAt: clock.now() }, { healedAt: null }])
  })
})

test('a cursor may hold bigints, dates, sets and maps, also within one another', async () => {
  const cursor = {
    ...{ paise: 2n ** 70n, at: new Date('2026-11-20T06:30:00.123Z'), none: null, text: 'a "quoted" ₹' },
    ends: new Map([['1 200', { payees: new Set(['a', 'b']), sums: [1n, -1n] }]]),
  }
  const context = { name: NAME, leaseMs: LEASE_MS, dueSince: dueEvery(ROUND_MS, clock.now()) }
  await scanSlice(node, {
    ...context,
    slice: async (first: typeof cursor | null) => ({ next: first ?? cursor }),
  })
  let read: typeof cursor | null = null
  await scanSlice(node, {
    ...context,
    slice: async (stored: typeof cursor | null) => {
      read = stored
      return { next: stored }
    },
  })
  expect(read).toEqual(cursor)
})
