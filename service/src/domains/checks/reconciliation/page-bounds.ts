import { FIRST_UUID, firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import type { Span } from './run.ts'

/** Which rows of a table a page reads: a stretch of its time-ordered ids, or what is older and still looked at. */
export interface PageBounds {
  readonly scope: 'span' | 'open'
  /** Only behind this id. */
  readonly after: Uuid
  /** Only below this id. */
  readonly before: Uuid
  readonly limit: number
}

export function boundsOf(
  { from, to }: Span,
  scope: PageBounds['scope'],
  position: string | null,
  limit: number,
): PageBounds {
  if (scope === 'open') return { scope, after: position ?? FIRST_UUID, before: firstUuidAt(from), limit }
  return { scope, after: position ?? justBefore(firstUuidAt(from)), before: firstUuidAt(to), limit }
}

/** `firstUuidAt` ends in zeros behind its version, so nothing lies between it and this. */
function justBefore(first: Uuid): Uuid {
  return `${first.slice(0, 14)}6fff-bfff-ffffffffffff`
}
