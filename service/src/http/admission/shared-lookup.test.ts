import { expect, test } from 'vitest'
import { sharedLookUp } from './shared-lookup.ts'

/** Look-ups that end when the test says so, each with the state that it began in. */
function scripted() {
  const ends: (() => void)[] = []
  let state = 'old'
  const lookUp = sharedLookUp((_credential: string) => {
    const seen = state
    return new Promise<string>(resolve => ends.push(() => resolve(seen)))
  })
  return {
    lookUp,
    ends,
    change: () => {
      state = 'new'
    },
  }
}

const turnOfTheLoop = () => new Promise(resolve => setImmediate(resolve))

test('many simultaneous requests with one credential need two look-ups', async () => {
  const { lookUp, ends } = scripted()
  const found = Array.from({ length: 900 }, async () => lookUp('key'))
  ends[0]?.()
  await turnOfTheLoop()
  ends[1]?.()
  expect(new Set(await Promise.all(found))).toEqual(new Set(['old']))
  expect(ends).toHaveLength(2)
})

test('a request never shares a look-up that began before it, so a replaced credential fails at once', async () => {
  const { lookUp, ends, change } = scripted()
  const before = lookUp('key')
  change()
  const after = lookUp('key')
  ends[0]?.()
  await turnOfTheLoop()
  ends[1]?.()
  expect(await before).toBe('old')
  expect(await after).toBe('new')
})

test('credentials do not wait for one another, and a look-up that failed is made again', async () => {
  let attempts = 0
  const lookUp = sharedLookUp(async (credential: string) => {
    attempts += 1
    if (credential === 'bad') throw new Error('away')
    return credential
  })
  const bad = lookUp('bad')
  expect(await lookUp('good')).toBe('good')
  await expect(bad).rejects.toThrow('away')
  await expect(lookUp('bad')).rejects.toThrow('away')
  expect(attempts).toBe(3)
})
