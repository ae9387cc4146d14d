import type { RiskRuleName } from '@batua/contract'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'

export const MINUTE_MS = 60_000

/**
 * What the rules take for payments, in SQL over transfers. Of a payer its authorizations, which are its decision, of a
 * payee the captures, by which money arrives.
 */
export const PAID = `kind in ('payment', 'authorization')`
export const RECEIVED = `kind in ('payment', 'capture')`
export const PAYEE = `case kind when 'authorization' then linked_id else credit_account end`
export const payerOf = (transfer: string) => `
  case ${transfer}.kind when 'capture' then (
    select h.debit_account from transfers h where h.id = ${transfer}.linked_id limit 1)
  else ${transfer}.debit_account end`

/** A span of one agent's transfers, both ends included. */
export interface Span {
  readonly agentId: Uuid
  readonly fromId: Uuid
  readonly untilId: Uuid
}

/** The transfers of one agent that one rule evaluates. */
export interface Scope extends Span {
  readonly fromMs: number
  readonly toMs: number
}

/** Spans as three array parameters of a statement: agents, first ids, last ids. */
export function spanColumns(spans: readonly Span[]): Uuid[][] {
  return [spans.map(span => span.agentId), spans.map(span => span.fromId), spans.map(span => span.untilId)]
}

/** Facts by agent, each made of a row and the scope that it was read for. */
export function factsByAgent<Row extends { readonly agentId: Uuid }, Facts>(
  rows: readonly Row[],
  scopes: readonly Scope[],
  factsOf: (row: Row, scope: Scope) => Facts,
): Map<Uuid, Facts> {
  const scopeOf = new Map(scopes.map(scope => [scope.agentId, scope]))
  const facts = new Map<Uuid, Facts>()
  for (const row of rows) {
    const scope = scopeOf.get(row.agentId)
    if (scope !== undefined) facts.set(row.agentId, factsOf(row, scope))
  }
  return facts
}

/** Of a subject and a rule: whether an alert is open, and when one was last reviewed. */
export interface AlertState {
  readonly subjectId: Uuid
  readonly rule: RiskRuleName
  readonly isOpen: boolean
  readonly reviewedAt: Date | null
}

/** The time in a UUIDv7. */
export function momentOf(id: Uuid): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/**
 * The window that ends with an agent's newest transfer; a transfer exactly a window's length before that is outside.
 * null while an alert of the rule is open; after a review, only later transfers are inside.
 */
export function scopeOf(
  agentId: Uuid,
  newestId: Uuid,
  windowMinutes: number,
  alertState: AlertState | undefined,
): Scope | null {
  if (alertState?.isOpen) return null
  const toMs = momentOf(newestId)
  const reviewedMs = alertState?.reviewedAt?.getTime() ?? Number.NEGATIVE_INFINITY
  const fromMs = Math.max(toMs - windowMinutes * MINUTE_MS, reviewedMs) + 1
  if (fromMs > toMs) return null
  return { agentId, fromMs, toMs, fromId: firstUuidAt(new Date(fromMs)), untilId: newestId }
}

export function alertStateKey(subjectId: Uuid, rule: RiskRuleName): string {
  return `${subjectId} ${rule}`
}
