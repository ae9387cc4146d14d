import type { PolicyControl } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { pagedRows } from '../../operations/due-work.ts'
import type { PendingChange } from './change-policy.ts'

/** A record whose policy has pending changes. */
export interface PolicySubject {
  readonly kind: 'agent' | 'owner'
  readonly id: Uuid
}

/** One pending change as `pendingOf` selects it. */
export interface PendingJson {
  readonly control: PolicyControl
  readonly value: unknown
  readonly effective_at: string
}

/** An SQL expression for the pending changes of the row with this id, earliest first. */
export function pendingOf(id: string): string {
  return `(select coalesce(jsonb_agg(jsonb_build_object('control', c.control, 'value', c.value,
      'effective_at', c.effective_at) order by c.effective_at, c.control), '[]')
    from pending_policy_changes c where c.subject = ${id})`
}

export function pendingFromJson(changes: readonly PendingJson[]): PendingChange[] {
  return changes.map(({ control, value, effective_at }) => ({
    control,
    value,
    effectiveAt: new Date(effective_at),
  }))
}

/** Replaces all pending changes of the subject. The caller holds the subject's lock. */
export async function replacePending(
  tx: Queryable,
  subject: PolicySubject,
  pending: readonly PendingChange[],
): Promise<void> {
  await tx.query(`delete from pending_policy_changes where subject = $1`, [subject.id])
  for (const { control, value, effectiveAt } of pending) {
    await tx.query(
      `insert into pending_policy_changes (subject, subject_kind, control, value, effective_at)
       values ($1, $2, $3, $4, $5)`,
      [subject.id, subject.kind, control, JSON.stringify(value), effectiveAt],
    )
  }
}

/** Records with due changes. Those of a frozen owner wait until the owner is unfrozen. */
export const dueSubjects = pagedRows<PolicySubject>(
  100,
  `select c.subject as id, c.subject_kind as kind, min(c.effective_at)::text as "dueAt" from pending_policy_changes c
   left join agents a on c.subject_kind = 'agent' and a.id = c.subject
   join owners o on o.id = coalesce(a.owner_id, c.subject)
   where c.effective_at <= $1 and o.status = 'active'
   group by c.subject, c.subject_kind having (min(c.effective_at), c.subject) > ($2, $3)
   order by min(c.effective_at), c.subject limit $4`,
)
