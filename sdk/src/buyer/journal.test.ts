import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileJournal } from './file-journal.ts'
import type { BudgetLimit, Journal, Purchase } from './journal.ts'
import { memoryJournal, storedJournal } from './stored-journal.ts'
import { newPurchase } from './testing/purchases.ts'

const HOUR_MS = 3_600_000
const NOW = 1_800_000_000_000
const perHour = (limitPaise: bigint, host: string | null = null): BudgetLimit => ({
  limitPaise,
  windowMs: HOUR_MS,
  host,
})

let folder: string
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function newFileJournal(): Promise<Journal> {
  files += 1
  return fileJournal(join(folder, `${files}.jsonl`))
}

describe.each([
  ['memory', async () => memoryJournal()],
  ['a file', newFileJournal],
])('in %s', (_, newJournal) => {
  test('the payee of a host is pinned, and the last pin counts', async () => {
    const journal = await newJournal()
    expect(await journal.payeeOf?.('shop.example')).toBeNull()
    await journal.pin?.('shop.example', 'agt_1')
    await journal.pin?.('other.example', 'agt_2')
    await journal.pin?.('shop.example', 'agt_3')
    expect(await journal.payeeOf?.('shop.example')).toBe('agt_3')
    expect(await journal.payeeOf?.('other.example')).toBe('agt_2')
    expect(await journal.payeeOf?.('shop.example:8443')).toBeNull()
  })

  test('an unfinished purchase is given to one caller at a time until it ends', async () => {
    const journal = await newJournal()
    await journal.begin(newPurchase('a', { requestKey: 'weather' }), [])
    expect(await journal.resume('weather')).toBeNull()
    await journal.update('a', { state: 'paid', paymentId: 'pay_1' })
    await journal.release('a')
    const handed = await Promise.all(Array.from({ length: 8 }, () => journal.resume('weather')))
    expect(handed.filter(purchase => purchase !== null)).toEqual([
      newPurchase('a', { requestKey: 'weather', state: 'paid', paymentId: 'pay_1' }),
    ])
    await journal.update('a', { state: 'served' })
    await journal.release('a')
    expect(await journal.resume('weather')).toBeNull()
    expect(await journal.resume('another')).toBeNull()
  })

  test.each(['served', 'refused', 'refunded', 'lost', 'unpaid'] as const)(
    'a %s purchase is never given out',
    async state => {
      const journal = await newJournal()
      await journal.begin(newPurchase('a', { requestKey: 'weather' }), [])
      await journal.update('a', { state })
      await journal.release('a')
      expect(await journal.resume('weather')).toBeNull()
    },
  )

  test('the oldest of several unfinished purchases of a request is given out first', async () => {
    const journal = await newJournal()
    for (const id of ['a', 'b', 'c']) {
      await journal.begin(newPurchase(id, { requestKey: 'weather' }), [])
      await journal.release(id)
    }
    const handed = [await journal.resume('weather'), await journal.resume('weather')]
    expect(handed.map(purchase => purchase?.id)).toEqual(['a', 'b'])
  })

  test('no more concurrent purchases begin than the budget allows', async () => {
    const journal = await newJournal()
    const budget = perHour(1_000n)
    const begun = Array.from({ length: 32 }, (_, index) => journal.begin(newPurchase(`${index}`), [budget]))
    const responses = await Promise.all(begun)
    expect(responses.filter(response => response === null)).toHaveLength(10)
    expect(responses.filter(response => response === budget)).toHaveLength(22)
  })

  test.each([
    ['paying', 1],
    ['paid', 1],
    ['served', 1],
    ['refused', 1],
    ['lost', 1],
    ['refunded', 0],
    ['unpaid', 0],
  ] as const)('a %s purchase counts %d times against a budget', async (state, times) => {
    const journal = await newJournal()
    await journal.begin(newPurchase('a'), [])
    await journal.update('a', { state })
    const budget = perHour(199n)
    expect(await journal.begin(newPurchase('b'), [budget])).toBe(times === 1 ? budget : null)
  })

  test('a purchase above the budget is not written', async () => {
    const journal = await newJournal()
    await journal.begin(newPurchase('a', { amountPaise: 101n }), [perHour(100n)])
    expect(await journal.resume('key of a')).toBeNull()
    await expect(journal.update('a', { state: 'paid' })).rejects.toThrow('there is no purchase a')
    expect(await journal.begin(newPurchase('b'), [perHour(100n)])).toBeNull()
  })

  test('a purchase begins once', async () => {
    const journal = await newJournal()
    await journal.begin(newPurchase('a'), [])
    await expect(journal.begin(newPurchase('a'), [])).rejects.toThrow('was started before')
  })
})

test('a closing journal waits for running purchases and begins no more', async () => {
  const journal = storedJournal({
    append: async () => {},
    appendPin: async () => {},
    rewrite: async () => {},
  })
  const steps: string[] = []
  await journal.begin(newPurchase('a'), [])
  const queued = journal.begin(newPurchase('b'), [])
  const closed = Promise.all([journal.close(), journal.close()]).then(() => steps.push('closed'))
  expect(await queued).toBeNull()
  await expect(journal.begin(newPurchase('c'), [])).rejects.toThrow('closed')
  await expect(journal.resume('key of a')).rejects.toThrow('closed')
  for (const id of ['a', 'b']) {
    await journal.update(id, { state: 'served' })
    steps.push(`${id} served`)
    await journal.release(id)
  }
  await closed
  expect(steps).toEqual(['a served', 'b served', 'closed'])
  await expect(journal.update('a', { state: 'served' })).rejects.toThrow('closed')
})

test('a budget counts exactly its window and its own host', async () => {
  const journal = memoryJournal()
  await journal.begin(newPurchase('a', { startedAt: NOW }), [])
  const later = (id: string, ms: number, host = 'a.example'): Purchase =>
    newPurchase(id, { startedAt: NOW + ms, host })
  const budgets = [perHour(5_000n), perHour(199n, 'a.example')]
  expect(await journal.begin(later('b', HOUR_MS - 1), budgets)).toBe(budgets[1])
  expect(await journal.begin(later('c', HOUR_MS - 1, 'b.example'), [perHour(199n, 'b.example')])).toBeNull()
  expect(await journal.begin(later('d', HOUR_MS), budgets)).toBeNull()
})

test('an open authorization counts as spent now, and a closed one as spent at its last use', async () => {
  const journal = memoryJournal()
  const budget = perHour(199n)
  const begins = (id: string, afterMs: number) =>
    journal.begin(newPurchase(id, { startedAt: NOW + afterMs, state: 'unpaid' }), [budget])
  await journal.begin(newPurchase('a', { startedAt: NOW, spentUntil: NOW + 2 * HOUR_MS }), [])
  expect(await begins('b', 2 * HOUR_MS)).toBe(budget)
  expect(await begins('c', 3 * HOUR_MS - 1)).toBe(budget)
  await journal.update('a', { state: 'served', spentUntil: NOW + HOUR_MS })
  expect(await begins('d', 2 * HOUR_MS - 1)).toBe(budget)
  expect(await begins('e', 2 * HOUR_MS)).toBeNull()
})

test('what was spent within a day is kept for budgets, although it started earlier', async () => {
  const journal = memoryJournal()
  const spent = { startedAt: NOW, spentUntil: NOW + 2 * HOUR_MS, state: 'served' as const }
  await journal.begin(newPurchase('a', spent), [])
  await journal.release('a')
  const startedAt = NOW + 25 * HOUR_MS
  // So many that finished ones are dropped.
  for (let at = 0; at < 1_001; at++)
    await journal.begin(newPurchase(`${at}`, { startedAt, state: 'unpaid' }), [])
  const budget: BudgetLimit = { limitPaise: 199n, windowMs: 24 * HOUR_MS, host: null }
  expect(await journal.begin(newPurchase('b', { startedAt }), [budget])).toBe(budget)
})

test('a clock that is set back does not free any budget', async () => {
  const journal = memoryJournal()
  await journal.begin(newPurchase('a', { startedAt: NOW }), [])
  const budget = perHour(199n)
  expect(await journal.begin(newPurchase('b', { startedAt: NOW - 10 * HOUR_MS }), [budget])).toBe(budget)
})

const attempts = fc.array(
  fc.record({
    amountPaise: fc.bigInt(1n, 500n),
    afterMs: fc.integer({ min: 0, max: HOUR_MS / 2 }),
    host: fc.constantFrom('a.example', 'b.example'),
    state: fc.constantFrom('paying', 'paid', 'served', 'refused', 'refunded', 'lost', 'unpaid'),
  }),
  { maxLength: 40 },
)

test('no window ever exceeds its budget, in any order of purchases', async () => {
  await fc.assert(
    fc.asyncProperty(attempts, async wanted => {
      const journal = memoryJournal()
      const budgets = [perHour(1_200n), perHour(800n, 'a.example')]
      const begun: Purchase[] = []
      let startedAt = NOW
      for (const [index, { amountPaise, afterMs, host, state }] of wanted.entries()) {
        startedAt += afterMs
        const purchase = newPurchase(`${index}`, { amountPaise, host, startedAt })
        if ((await journal.begin(purchase, budgets)) !== null) continue
        begun.push({ ...purchase, state })
        for (const { host, limitPaise } of budgets) {
          const within = begun.filter(past => past.startedAt > startedAt - HOUR_MS)
          const counted = within.filter(past => host === null || past.host === host)
          const live = counted.filter(
            past => past.id === purchase.id || !['unpaid', 'refunded'].includes(past.state),
          )
          expect(live.reduce((sum, past) => sum + past.amountPaise, 0n) <= limitPaise).toBe(true)
        }
        await journal.update(purchase.id, { state })
      }
    }),
  )
})
