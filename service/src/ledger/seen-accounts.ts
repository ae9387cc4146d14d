import { arrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import { ZERO_PAISE } from '../kernel/money.ts'
import { type Account, CHANGED_NAMES, CHANGED_TYPES, CHANGES, changedColumns } from './accounts.ts'

type SeenColumn = readonly [
  column: string,
  type: string,
  valueOf: (account: Account) => bigint | number | null,
]

/**
 * The columns that show whether an account was changed since it was seen. Each statement that changes an account changes
 * one of them: a transfer the sequence; a release from escrow and a capture the total spent; `lockForChange` the version;
 * a new version of the policy its time; windows that were made exact where they begin or what was counted.
 */
export const SEEN: readonly SeenColumn[] = [
  ['sequence', 'int8', account => account.sequence],
  ['balance_paise', 'int8', account => account.balancePaise],
  ['total_spent_paise', 'int8', account => account.totalSpentPaise],
  ['last_posted_ms', 'int8', account => account.lastPostedMs],
  ['agent_version', 'int4', account => account.agentVersion],
  ['policy_since_ms', 'int8', account => account.policySinceMs],
  ['hour_from_ms', 'int8', ({ spending }) => spending.hourFromMs],
  ['day_from_ms', 'int8', ({ spending }) => spending.dayFromMs],
  ['hour_recipients_bound', 'int4', ({ spending }) => spending.hourRecipientsBound],
  ['counted_through_ms', 'int8', account => account.countedThroughMs],
  ['counted_through_sequence', 'int8', account => account.countedThroughSequence],
]

/** Whether an account is as it was seen. */
export function isUnchanged(seen: Account, account: Account): boolean {
  return SEEN.every(([, , valueOf]) => valueOf(seen) === valueOf(account))
}

/** An account as a batch may change it. */
export function copyOf(account: Account): Account {
  return {
    ...account,
    spending: { ...account.spending },
    plannedPaise: ZERO_PAISE,
    plannedSpends: 0,
    needsExactWindows: false,
    changed: false,
  }
}

const SEEN_NAMES = SEEN.map(([column]) => `seen_${column}`).join(', ')
const IS_UNCHANGED = SEEN.map(([column]) => `a.${column} is not distinct from v.seen_${column}`).join(' and ')

/** The types of the seen columns as parameters from `$first` on. */
function seenTypes(first: number): string {
  return SEEN.map(([, type], at) => `$${first + at}::${type}[]`).join(', ')
}

function seenColumns(accounts: readonly Account[]): string[] {
  return SEEN.map(([, , valueOf]) => arrayLiteral(accounts.map(valueOf)))
}

const CHANGED_COUNT = CHANGED_TYPES.split(',').length
const AFTER_UPDATE = CHANGED_COUNT + SEEN.length + 1

const UPDATE_UNCHANGED = `
  with unchanged as (
    update accounts a set ${CHANGES}
    from unnest(${CHANGED_TYPES}, ${seenTypes(CHANGED_COUNT + 1)}) v(${CHANGED_NAMES}, ${SEEN_NAMES})
    where a.id = v.id and ${IS_UNCHANGED}
    returning 1)
  select require_unchanged(count(*) = $${AFTER_UPDATE} and clock_timestamp() < $${AFTER_UPDATE + 1}),
    clock_timestamp() as at
  from unchanged`

const REQUIRE_UNCHANGED = `
  select require_unchanged(count(*) = $${SEEN.length + 2}), clock_timestamp() as at
  from unnest($1::uuid[], ${seenTypes(2)}) v(id, ${SEEN_NAMES})
  join accounts a on a.id = v.id and ${IS_UNCHANGED}`

/**
 * Locks and updates accounts, in the order in which they are given. Fails the transaction if one is not as it was seen,
 * or if the server's clock shows `deadline` by then. Returns the server's time.
 */
export async function updateUnchanged(
  tx: Queryable,
  accounts: readonly Account[],
  seen: readonly Account[],
  deadline: Date,
): Promise<Date | undefined> {
  const values = [...changedColumns(accounts), ...seenColumns(seen), accounts.length, deadline.toISOString()]
  const [row] = await tx.query<{ at: Date }>(UPDATE_UNCHANGED, values)
  return row?.at
}

/** Fails if one of these accounts is not as it was seen. Returns the server's time. */
export async function requireUnchanged(tx: Queryable, seen: readonly Account[]): Promise<Date | undefined> {
  const ids = arrayLiteral(seen.map(account => account.id))
  const [row] = await tx.query<{ at: Date }>(REQUIRE_UNCHANGED, [ids, ...seenColumns(seen), seen.length])
  return row?.at
}
