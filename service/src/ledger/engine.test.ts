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

const queues = fc.record({
  queue: fc.array(wallets.map(entry), { maxLength: 20 }),
  locked: wallets.map(ids => new Set(ids)),
  maxBatch: fc.integer({ min: 1, max: 12 }),
})

const share = (left: Entry, right: Entry) =>
  left.command.accounts.some(id => right.command.accounts.includes(id))

test('a batch touches no wallet that another lane holds', () => {
  fc.assert(
    fc.property(queues, ({ queue, locked, maxBatch }) => {
      const { batch } = pick(queue, locked, { share: maxBatch, maxBatch })
      expect(batch.length).toBeLessThanOrEqual(maxBatch)
      for (const { command } of batch) expect(command.accounts.some(id => locked.has(id))).toBe(false)
    }),
  )
})

test('nothing is lost, and what stays and what goes keep their order', () => {
  fc.assert(
    fc.property(queues, ({ queue, locked, maxBatch }) => {
      const { batch, rest } = pick(queue, locked, { share: maxBatch, maxBatch })
      expect(queue.filter(each => batch.includes(each))).toEqual(batch)
      expect(queue.filter(each => rest.includes(each))).toEqual(rest)
      expect(batch.length + rest.length).toBe(queue.length)
    }),
  )
})

test('no command overtakes an earlier one on the same wallet', () => {
  fc.assert(
    fc.property(queues, ({ queue, locked, maxBatch }) => {
      const { batch, rest } = pick(queue, locked, { share: maxBatch, maxBatch })
      for (const overtaken of rest) {
        const later = batch.filter(each => queue.indexOf(each) > queue.indexOf(overtaken))
        expect(later.filter(each => share(each, overtaken))).toEqual([])
      }
    }),
  )
})

test('whatever waits has a reason: a full batch, a wallet that is held, or somebody before it', () => {
  fc.assert(
    fc.property(queues, ({ queue, locked, maxBatch }) => {
      const { batch, rest } = pick(queue, locked, { share: maxBatch, maxBatch })
      for (const each of rest) {
        const held = each.command.accounts.some(id => locked.has(id))
        const behind = rest.slice(0, rest.indexOf(each)).some(earlier => share(earlier, each))
        expect(batch.length === maxBatch || held || behind).toBe(true)
      }
    }),
  )
})
