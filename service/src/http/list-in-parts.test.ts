import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Uuid } from '../kernel/ids.ts'
import { lastSkippedInParts, newestInParts } from './list-in-parts.ts'

/** A part holds ids, newest first; `end` is the id before which it ends. */
interface Part {
  readonly ids: readonly Uuid[]
  readonly end: Uuid | null
}

const idOf = (number: number): Uuid => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`

/** Numbers distributed over parts at random; a part may have none, or consecutive ones. */
const distributed = fc
  .record({
    count: fc.nat(300),
    parts: fc.integer({ min: 1, max: 12 }),
    seeds: fc.array(fc.nat(), { minLength: 300, maxLength: 300 }),
    inStretches: fc.boolean(),
  })
  .map(({ count, parts, seeds, inStretches }) => {
    const numbers = Array.from({ length: count }, (_, number) => number)
    const partOf = (number: number) =>
      inStretches ? Math.floor((number * parts) / count) : (seeds[number] ?? 0) % parts
    const all: Part[] = Array.from({ length: parts }, (_, part) => ({
      ids: numbers
        .filter(number => partOf(number) === part)
        .map(idOf)
        .toReversed(),
      end: null,
    }))
    return { parts: all, newest: numbers.map(idOf).toReversed() }
  })

function rowsOf({ ids, end }: Part, from: Uuid | null): readonly Uuid[] {
  return ids.filter(id => (end === null || id < end) && (from === null || id >= from))
}

describe('a list in parts', () => {
  test('has the same newest rows as one list', async () => {
    await fc.assert(
      fc.asyncProperty(distributed, fc.integer({ min: 1, max: 40 }), async ({ parts, newest }, fetch) => {
        const rows = await newestInParts(parts, { fetch, idOf: (id: Uuid) => id }, async (part, from) =>
          rowsOf(part, from).slice(0, fetch),
        )
        expect(rows).toEqual(newest.slice(0, fetch))
      }),
    )
  })

  test('skips exactly as many rows as are asked for, in whatever steps, and says when there are fewer', async () => {
    const rows = fc.integer({ min: 1, max: 320 })
    await fc.assert(
      fc.asyncProperty(
        distributed,
        rows,
        fc.integer({ min: 1, max: 50 }),
        async (list, skipped, placesAtOnce) => {
          let most = 0
          const last = await lastSkippedInParts(
            list.parts,
            skipped,
            {
              select: async (part, count, step, from) => {
                const places = rowsOf(part, from)
                  .slice(0, count)
                  .filter((_, index) => (index + 1) % step === 0)
                most = Math.max(most, places.length)
                return places
              },
              behind: (part, end) => ({ ...part, end }),
            },
            placesAtOnce,
          )
          expect(last).toBe(list.newest[skipped - 1] ?? null)
          // A last round with a step of 1 has up to twice as many rows left as there are parts.
          expect(most).toBeLessThanOrEqual(Math.max(placesAtOnce, 2 * list.parts.length + 1))
        },
      ),
    )
  })
})
