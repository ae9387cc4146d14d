import { expect, test } from 'vitest'
import { buyerJournal } from './buyer-journal.ts'
import type { Journal } from './journal.ts'
import { memoryJournal } from './stored-journal.ts'
import { newPurchase } from './testing/purchases.ts'

/** A journal that keeps its first entries, and no further step while its disk is full. */
async function openFullJournal(): Promise<{ journal: Journal; disk: { isFull: boolean } }> {
  const memory = memoryJournal()
  const disk = { isFull: true }
  const failing = <T>(step: () => Promise<T>) =>
    disk.isFull ? Promise.reject(new Error('no space left')) : step()
  const journal: Journal = {
    ...memory,
    update: (id, change) => failing(() => memory.update(id, change)),
  }
  for (const id of ['a', 'b']) {
    await memory.begin(newPurchase(id, { requestKey: 'weather' }), [])
    await memory.release(id)
  }
  return { journal, disk }
}

test('the end of a purchase that could not be written is known to all buyers of the journal', async () => {
  const { journal } = await openFullJournal()
  const [one, other] = [buyerJournal(journal), buyerJournal(journal)]
  expect((await one.resume('weather'))?.id).toBe('a')
  await one.finish('a', { state: 'served' })
  await one.release('a')
  expect((await other.resume('weather'))?.id).toBe('b')
  await other.release('b')
  expect((await one.resume('weather'))?.id).toBe('b')
  expect(await one.resume('weather')).toBeNull()
})

test('the end of a purchase that could not be written is written later', async () => {
  const { journal, disk } = await openFullJournal()
  const buyer = buyerJournal(journal)
  await buyer.finish('a', { state: 'served' })
  disk.isFull = false
  expect((await buyer.resume('weather'))?.id).toBe('b')
  expect(await journal.resume('weather')).toBeNull()
})

test('a step before the end fails if it cannot be written, but a release never fails', async () => {
  const { journal } = await openFullJournal()
  const buyer = buyerJournal({ ...journal, release: () => Promise.reject(new Error('closed')) })
  await expect(buyer.update('a', { state: 'paid' })).rejects.toThrow('no space left')
  await buyer.release('a')
})
