import { assert } from '../kernel/assert.ts'
import type { Uuid } from '../kernel/ids.ts'

/**
 * Lists over all agents of an owner are read in parts, some agents at a time, each part in a separate statement: an owner
 * may have 200,000 agents, and one statement over all of them would occupy a connection too long. This file merges the
 * parts. A list is ordered by id, the newest first.
 */
export type ReadRows<Part, Row> = (part: Part, from: Uuid | null) => Promise<readonly Row[]>

/** The newest rows of all parts. Once there are `rows` of them, a part is read only down to the last one's id. */
export async function newestInParts<Part, Row>(
  parts: readonly Part[],
  { fetch, idOf }: { readonly fetch: number; readonly idOf: (row: Row) => Uuid },
  read: ReadRows<Part, Row>,
): Promise<readonly Row[]> {
  let rows: readonly Row[] = []
  for (const part of parts) {
    const last = rows.length === fetch ? rows.at(-1) : undefined
    const found = await read(part, last === undefined ? null : idOf(last))
    if (found.length === 0) continue
    rows = [...rows, ...found].toSorted((left, right) => newestFirst(idOf(left), idOf(right))).slice(0, fetch)
  }
  return rows
}

function newestFirst(left: Uuid, right: Uuid): number {
  return left === right ? 0 : left < right ? 1 : -1
}

/** How a list in parts skips rows. */
export interface Skipping<Part> {
  /** The ids of every `step`-th of the newest `rows` rows of a part; `from` may leave out older ones. */
  readonly select: (part: Part, rows: number, step: number, from: Uuid | null) => Promise<readonly Uuid[]>
  /** The part after a row. */
  readonly behind: (part: Part, id: Uuid) => Part
}

/** The maximum number of places that a round keeps in memory. */
const PLACES_AT_ONCE = 20_000

/** A row of a part. It stands for the `step` rows that end with it. */
interface Place {
  readonly id: Uuid
  readonly part: number
}

/**
 * The id of the last of the newest `rows` rows of all parts; null when there are fewer. Each round reads every `step`-th
 * row of each part and sorts these places. It skips as many places as certainly stand for rows among the newest, counting
 * the rows that each part may have before its next place. The next round has fewer rows to skip and takes a smaller step;
 * the last round reads every row.
 */
export async function lastSkippedInParts<Part>(
  allParts: readonly Part[],
  rows: number,
  skipping: Skipping<Part>,
  placesAtOnce = PLACES_AT_ONCE,
): Promise<Uuid | null> {
  if (allParts.length === 0) return null
  let parts = allParts
  let left = rows
  for (;;) {
    const step = stepFor(left, parts.length, placesAtOnce)
    const places = await selectPlaces(parts, { rows: left, step }, skipping)
    const sure = Math.floor((left - parts.length * (step - 1)) / step)
    const skipped = places.slice(0, sure)
    if (skipped.length < sure) return null
    const last = skipped.at(-1)
    assert(last !== undefined, 'each round skips rows')
    if (step === 1) return last.id
    parts = behindPlaces(parts, skipped, skipping)
    left -= sure * step
  }
}

/** The step of a round: large enough that the places fit into memory, and small enough that the round skips rows. */
function stepFor(rows: number, parts: number, placesAtOnce: number): number {
  const mostThatSkips = Math.floor((rows + parts) / (parts + 1))
  return Math.max(1, Math.min(Math.ceil(rows / placesAtOnce), mostThatSkips))
}

/** Every `step`-th row of each part, newest first, as far as it can be among the newest `rows` of all parts. */
function selectPlaces<Part>(
  parts: readonly Part[],
  { rows, step }: { readonly rows: number; readonly step: number },
  { select }: Skipping<Part>,
): Promise<readonly Place[]> {
  // This many places stand for at least as many rows as are to be skipped.
  const order = { fetch: Math.ceil(rows / step), idOf: (place: Place) => place.id }
  return newestInParts([...parts.entries()], order, async ([index, part], from) => {
    const ids = await select(part, rows, step, from)
    return ids.map(id => ({ id, part: index }))
  })
}

/** Each part after the last of its skipped places. */
function behindPlaces<Part>(
  parts: readonly Part[],
  skipped: readonly Place[],
  { behind }: Skipping<Part>,
): Part[] {
  const lastOf = new Map(skipped.map(({ part, id }) => [part, id]))
  return parts.map((part, index) => {
    const last = lastOf.get(index)
    return last === undefined ? part : behind(part, last)
  })
}
