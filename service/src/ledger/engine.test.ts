import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry } from './command.ts'
import { pick } from './engine.ts'

const WALLETS = ['a', 'b', 'c', 'd', 'e', 'f']
const wallets = fc.uniqueArray(fc.constantFrom(...WALLETS), { maxLength: 3 })

function entry(accounts: readonly string[]): Entry {
  const nothing = () => undefined
  return { command: { accounts, needs: [], decide: () => ({}) }, resolve: nothing, reject: nothing }
}

const queues = fc
  .record({
    queue: fc.array(wallets.map(entry), { maxLength: 20 }),
    locked: wallets.map(ids => new Set(ids)),
    maxBatch: fc.integer({ min: 1, max: 12 }),
    share: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ queue, locked, maxBatch, share }) => {
    const size = { maxBatch, share: Math.min(share, maxBatch) }
    return { queue, locked, size, picked: pick(queue, locked, size) }
  })

const meet = (left: Entry, right: Entry) =>
  left.command.accounts.some(id => right.command.accounts.includes(id))

test('a batch touches no wallet that another lane holds', () => {
  fc.assert(
    fc.property(queues, ({ locked, size, picked }) => {
      expect(picked.batch.length).toBeLessThanOrEqual(size.maxBatch)
      for (const { command } of picked.batch) expect(command.accounts.some(id => locked.has(id))).toBe(false)
    }),
  )
})

test('nothing is lost, and what stays and what goes keep their order', () => {
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

test('whatever waits has a reason: a full batch, a wallet that is held, or somebody before it', () => {
  fc.assert(
    fc.property(queues, ({ queue, locked, size, picked: { batch, rest } }) => {
      for (const each of rest) {
        const taken = batch.filter(other => queue.indexOf(other) < queue.indexOf(each))
        const shareIsFull = taken.length >= size.share && !taken.some(other => meet(other, each))
        const held = each.command.accounts.some(id => locked.has(id))
        const behind = rest.slice(0, rest.indexOf(each)).some(earlier => meet(earlier, each))
        expect(shareIsFull || batch.length === size.maxBatch || held || behind).toBe(true)
      }
    }),
  )
})

test('a hot wallet fills one batch beyond the share, while strangers are left to other lanes', () => {
  const hot = Array.from({ length: 6 }, () => entry(['hot']))
  const strangers = WALLETS.map(id => entry([id]))
  const queue = hot.flatMap((each, at) => [each, ...strangers.slice(at, at + 1)])
  const { batch, rest } = pick(queue, new Set(), { share: 4, maxBatch: 100 })
  expect(batch).toEqual([...queue.slice(0, 4), ...hot.slice(2)])
  expect(rest).toEqual(strangers.slice(2))
})
