import type { AuditAction } from '@batua/contract'

/**
 * What the log says became of something, in SQL: the actions of the entries about it, null: none. `target` is its id as
 * the log has it. The index `audit_entries_outcomes` finds them; its condition names each action that is asked for here.
 */
export function loggedOutcomes(target: string, actions: readonly AuditAction[]): string {
  return `(select array_agg(e.action) from audit_entries e
    where e.target = ${target} and e.action in (${actions.map(action => `'${action}'`).join(', ')}))`
}
