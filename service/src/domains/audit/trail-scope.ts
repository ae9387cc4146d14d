import type { AuditAction } from '@batua/contract'
import type { Span } from '../../http/date-span.ts'
import { FIRST_UUID, firstUuidAt, LAST_UUID, type Uuid } from '../../kernel/ids.ts'

/** Which entries of an agent's trail are requested. */
export interface TrailScope {
  readonly agentId: Uuid
  /** null: all actions. */
  readonly action: string | null
  /** Ids begin with their time, so a range of ids is a span of time; `from` inclusive, `until` exclusive. */
  readonly from: Uuid
  readonly until: Uuid
}

export function trailScope(agentId: Uuid, action: string | null, { from, until }: Span): TrailScope {
  return {
    agentId,
    action,
    from: from === null ? FIRST_UUID : firstUuidAt(from),
    until: until === null ? LAST_UUID : firstUuidAt(until),
  }
}

/** Whether the scope is unbounded at both ends. */
export function isWholeTrail({ from, until }: TrailScope): boolean {
  return from === FIRST_UUID && until === LAST_UUID
}

/** The part of a scope that is older than an entry. */
export function behind(scope: TrailScope, id: Uuid): TrailScope {
  return { ...scope, until: id < scope.until ? id : scope.until }
}

/** The part of a scope that can be on a page of which this many entries of one kind are known. */
export function newerThan(scope: TrailScope, id: Uuid | undefined): TrailScope {
  return id === undefined || id < scope.from ? scope : { ...scope, from: id }
}

/** Payments have no row of their own in the log: their transfers are their entries. */
export const PAYMENT_ACTION = 'payment.completed' satisfies AuditAction

export function hasPayments({ action }: TrailScope): boolean {
  return action === null || action === PAYMENT_ACTION
}

export function hasEntries({ action }: TrailScope): boolean {
  return action !== PAYMENT_ACTION
}

/** The newest of two lists that are each newest first. */
export function newestOf<Row extends { readonly id: Uuid }>(
  left: readonly Row[],
  right: readonly Row[],
  count: number,
): Row[] {
  return [...left, ...right].toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, count)
}
