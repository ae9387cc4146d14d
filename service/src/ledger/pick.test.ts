import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Entry, Party } from './command.ts'
import { type BatchSize, pick } from './pick.ts'

const WALLETS = ['a', 'b', 'c', 'd', 'e', 'f']
const wallets = fc.uniqueArray(fc.constantFrom(...WALLETS), { maxLength: 3 })

function entry(accounts: readonly string[], party = 'one'): Entry {
  const nothing = () => undefined
  return {
    ...{ command: { accounts, reads: [], decide: () => ({}) }, resolve: nothing, reject: nothing },
    party: { name: party, waiting: 0, taken: 0 },
    addedAt: 0,
    trace: null,
  }
}

/** Picks as the engine does, which counts the waiting commands of each party. */
function pickFrom(drawn: readonly Entry[], locked: ReadonlySet<string>, size: BatchSize) {
  const parties = new Map<string, Party>()
  const queue = drawn.map(each => {
    const party = parties.get(each.party.name) ?? { ...each.party }
    parties.set(party.name, party)
    party.waiting += 1
    return { ...each, party }
  })
  return { queue, ...pick(queue, { locked, inChange: null }, size, parties) }
}

const queues = fc
  .record({
    drawn: fc.array(
      fc.tuple(wallets, fc.constantFrom('crowd', 'crowd', 'crowd', 'x', 'y')).map(drawn => entry(...drawn)),
      { maxLength: 30 },
    ),
    locked: wallets.map(ids => new Set(ids)),
    maxBatch: fc.integer({ min: 1, max: 12 }),
    share: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ drawn, locked, maxBatch, share }) => {
    const size = { maxBatch, share: Math.min(share, maxBatch) }
    const { queue, ...picked } = pickFrom(drawn, locked, size)
    return { queue, locked, size, picked }
  })

const meet = (left: Entry, right: Entry) =>
  left.command.accounts.some(id => right.command.accounts.includes(id))

test('a batch contains no command on a wallet that another committer has locked', () => {
  fc.assert(
    fc.property(queues, ({ locked, size, picked }) => {
      expect(picked.batch.length).toBeLessThanOrEqual(size.maxBatch)
      for (const { command } of picked.batch) expect(command.accounts.some(id => locked.has(id))).toBe(false)
    }),
  )
})

test('pick loses no command, and both the batch and the rest keep the order of the queue', () => {
  fc.assert(
    fc.property(queues, ({ queue, picked: { batch, rest } }) => {
      expect(queue.filter(each => batch.includes(each))).toEqual(batch)
      expect(queue.filter(each => rest.includes(each))).toEqual(rest)
      expect(batch.length + rest.length).toBe(queue.length)
    }),
  )
})

test('no command overtakes an earlier one on the same wallet', () => {
  fc.assert(
    fc.property(queues, ({ queue, picked: { batch, rest } }) => {
      for (const overtaken of rest) {
        const later = batch.filter(each => queue.indexOf(each) > queue.indexOf(overtaken))
        expect(later.filter(each => meet(each, overtaken))).toEqual([])
      }
    }),
  )
})

test('a command waits only because the batch is full, its wallet is locked, or an earlier command waits on its wallet', () => {
  fc.assert(
    fc.property(queues, ({ queue, locked, size, picked: { batch, rest } }) => {
      for (const each of rest) {
        const isInTurns = queue.length > size.maxBatch
        const before = batch.filter(other => queue.indexOf(other) < queue.indexOf(each))
        // Turns of parties may fill the share with later commands.
        const taken = isInTurns ? batch : before
        const shareIsFull = taken.length >= size.share && !before.some(other => meet(other, each))
        const held = each.command.accounts.some(id => locked.has(id))
        const behind = rest.slice(0, rest.indexOf(each)).some(earlier => meet(earlier, each))
        expect(shareIsFull || batch.length === size.maxBatch || held || behind).toBe(true)
      }
    }),
  )
})

test('a hot wallet fills one batch beyond the share, while commands on other wallets are left to other committers', () => {
  const hot = Array.from({ length: 6 }, () => entry(['hot']))
  const strangers = WALLETS.map(id => entry([id]))
  const queue = hot.flatMap((each, at) => [each, ...strangers.slice(at, at + 1)])
  const accountsOf = (entries: readonly Entry[]) => entries.map(({ command }) => command.accounts)
  const { batch, rest } = pickFrom(queue, new Set(), { share: 4, maxBatch: 100 })
  expect(accountsOf(batch)).toEqual(accountsOf([...queue.slice(0, 4), ...hot.slice(2)]))
  expect(accountsOf(rest)).toEqual(accountsOf(strangers.slice(2)))
})

describe('when more waits than fits into a batch', () => {
  const crowd = Array.from({ length: 5_000 }, (_, at) => entry([`crowd ${at}`], 'crowd'))
  const size = { share: 128, maxBatch: 256 }
  const countOf = (entries: readonly Entry[], name: string) =>
    entries.filter(({ party }) => party.name === name).length

  test('the only command of a party that came last is in the next batch', () => {
    const { batch } = pickFrom([...crowd, entry(['stranger'], 'stranger')], new Set(), size)
    expect([batch.length, countOf(batch, 'stranger')]).toEqual([128, 1])
  })

  test('parties get even shares, and the others take what one party leaves', () => {
    const many = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) => entry([`${name} ${at}`], name))
    const { batch } = pickFrom([...crowd, ...many('x', 200), ...many('y', 10)], new Set(), size)
    expect(['crowd', 'x', 'y'].map(name => countOf(batch, name))).toEqual([59, 59, 10])
  })

  test('commands on wallets that another committer has locked leave no place of the batch empty', () => {
    const held = Array.from({ length: 300 }, () => entry(['held'], 'x'))
    const { batch } = pickFrom([...held, ...crowd], new Set(['held']), size)
    expect([batch.length, countOf(batch, 'crowd')]).toEqual([128, 128])
  })

  test('with more parties than places, the parties with the oldest commands go first', () => {
    const strangers = Array.from({ length: 300 }, (_, at) => entry([`stranger ${at}`], `party ${at}`))
    const { batch } = pickFrom([...crowd, ...strangers], new Set(), size)
    expect(batch.map(({ party }) => party.name)).toEqual([
      'crowd',
      ...strangers.slice(0, 127).map(({ party }) => party.name),
    ])
  })

  test('a command stays behind earlier commands that wait on its wallet', () => {
    const hot = Array.from({ length: 300 }, () => entry(['hot'], 'crowd'))
    const { batch } = pickFrom([...hot, entry(['hot'], 'x'), entry(['cold'], 'x')], new Set(), size)
    expect(batch.filter(({ party }) => party.name === 'x').map(({ command }) => command.accounts)).toEqual([
      ['cold'],
    ])
  })
})
