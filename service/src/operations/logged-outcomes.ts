import type { AuditAction } from '@batua/contract'

/**
 * The SQL expression for the outcomes that the log has of a target: the actions of its entries, null: none. The index
 * `audit_entries_outcomes` serves it; its condition must name each action that is passed here.
 */
export function loggedOutcomes(target: string, actions: readonly AuditAction[]): string {
  return `(select array_agg(e.action) from audit_entries e
    where e.target = ${target} and e.action in (${actions.map(action => `'${action}'`).join(', ')}))`
}
