import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addStep, condense, leadsTo, newChain } from './chain.ts'

const hash = (end: string) => createHash('md5').update(end).digest()

interface Step {
  readonly sequence: bigint
  readonly balance: bigint
  readonly change: bigint
}

function historyOf(changes: readonly bigint[]): Step[] {
  let balance = 0n
  return changes.map((change, index) => {
    balance += change
    return { sequence: BigInt(index + 1), balance, change }
  })
}

/** Whether the steps, seen in this order and put away after so many, make the whole history. */
function isWhole(steps: readonly Step[], end: Step | undefined, every = 3): boolean {
  const chain = newChain()
  for (const [index, { sequence, balance, change }] of steps.entries()) {
    addStep(chain, sequence, balance, change)
    if (index % every === 0) condense(chain, hash)
  }
  return leadsTo(chain, end?.sequence ?? 0n, end?.balance ?? 0n, hash)
}

const changes = fc.array(fc.bigInt({ min: -50n, max: 50n }), { minLength: 1, maxLength: 40 })

describe('a chain', () => {
  test('is complete in any order of its steps, and however often it is stored', () => {
    const property = fc.property(
      changes,
      fc.infiniteStream(fc.nat()),
      fc.integer({ min: 1, max: 50 }),
      (all, draws, every) => {
        const history = historyOf(all)
        const keyed = history.map(step => ({ step, key: draws.next().value ?? 0 }))
        const shuffled = keyed.toSorted((left, right) => left.key - right.key).map(({ step }) => step)
        expect(isWhole(shuffled, history.at(-1), every)).toBe(true)
      },
    )
    fc.assert(property, { numRuns: 200 })
  })

  test('is complete without a step only for an empty account', () => {
    expect(isWhole([], undefined)).toBe(true)
    expect(isWhole([], { sequence: 0n, balance: 5n, change: 0n })).toBe(false)
  })

  test('is broken by a missing, doubled or changed step, and by another end', () => {
    const property = fc.property(changes, fc.nat(), (all, pick) => {
      const history = historyOf(all)
      const at = pick % history.length
      const [step, end] = [history[at], history.at(-1)]
      if (step === undefined || end === undefined) return
      const others = history.toSpliced(at, 1)
      for (const steps of [
        others,
        [...history, step],
        [...others, { ...step, change: step.change + 1n }],
        [...others, { ...step, balance: step.balance + 1n }],
        [...others, { ...step, sequence: step.sequence + 1n }],
      ]) {
        expect(isWhole(steps, end)).toBe(false)
      }
      expect(isWhole(history, { ...end, balance: end.balance + 1n })).toBe(false)
      expect(isWhole(history, { ...end, sequence: end.sequence + 1n })).toBe(false)
    })
    fc.assert(property, { numRuns: 200 })
  })
})
