import type { Queryable } from '../../../db/database.ts'
import { AlteredRow, auditedVersionOf, lockGenuine, type RowVersion, writeMacs } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { lockForChange } from '../../../ledger/index.ts'
import {
  actorOfRow,
  OWNER_POLICY_ROWS,
  type OwnerPolicyState,
  POLICY_COLUMNS,
  type PolicyState,
  policyValues,
  recordPolicyVersions,
  replacePending,
  selectOwnerPolicy,
} from '../../limits/index.ts'
import type { Announcer } from './context.ts'

/** The policy under the owner's lock, which every change takes. */
export async function lockOwnerPolicy(tx: Queryable, vault: Vault, ownerId: Uuid): Promise<OwnerPolicyState> {
  await tx.query(`select id from owners where id = $1 for no key update`, [ownerId])
  await lockGenuine(tx, vault, OWNER_POLICY_ROWS, [ownerId])
  await requireRowOrNone(tx, vault, ownerId)
  return selectOwnerPolicy(tx, ownerId)
}

/** A policy that was never set has no pending changes. If it has, its row was deleted in the database. */
async function requireRowOrNone(tx: Queryable, vault: Vault, ownerId: Uuid): Promise<void> {
  const [gone] = await tx.query(
    `select 1 as gone where not exists (select from owner_policies where owner_id = $1)
       and (${auditedVersionOf(OWNER_POLICY_ROWS, '$1::uuid')} is not null
         or exists (select from pending_policy_changes where subject = $1))`,
    [ownerId],
  )
  if (gone === undefined) return
  const why = 'is gone, though it was set'
  vault.onAltered(OWNER_POLICY_ROWS.table, ownerId, why)
  throw new AlteredRow(OWNER_POLICY_ROWS.table, ownerId, why)
}

/** Lower than the id of any agent. */
const NOBODY: Uuid = '00000000-0000-0000-0000-000000000000'

const UPSERT = `
  insert into owner_policies (owner_id, announced_through, ${POLICY_COLUMNS.join(', ')})
  values ($1, '${NOBODY}', ${POLICY_COLUMNS.map((_, index) => `$${index + 2}`).join(', ')})
  on conflict (owner_id) do update set announced_through = excluded.announced_through,
    ${POLICY_COLUMNS.map(column => `${column} = excluded.${column}`).join(', ')}`

/**
 * Writes the policy. It is not announced to any agent yet: see announceOwnerPolicy. The caller holds the owner's lock.
 */
export async function updateOwnerPolicy(
  tx: Queryable,
  vault: Vault,
  ownerId: Uuid,
  state: PolicyState,
): Promise<RowVersion[]> {
  await tx.query(UPSERT, [ownerId, ...policyValues(state.policy)])
  await replacePending(tx, { kind: 'owner', id: ownerId }, state.pending)
  return writeMacs(tx, vault, OWNER_POLICY_ROWS, [ownerId])
}

const AGENTS_AT_ONCE = 200

/**
 * Announces a changed owner policy to another batch of the owner's agents, by raising the version that every payment
 * compares. Returns the number of agents. Agents created later read the new policy anyway. It locks the policy's row,
 * so that nodes take turns; a newer change starts again from the first agent. The new policy decides from then on, so each
 * agent gets a new version of its policy.
 */
export function announceOwnerPolicy({ database, clock, vault }: Announcer, ownerId: Uuid): Promise<number> {
  return database.inTransaction(async tx => {
    const [row] = await tx.query<{ announced_through: Uuid | null }>(
      `select announced_through from owner_policies where owner_id = $1 for no key update`,
      [ownerId],
    )
    const through = row?.announced_through ?? null
    if (through === null) return 0
    const agents = await tx.query<{ id: Uuid }>(
      `select id from agents where owner_id = $1 and status <> 'deactivated' and id > $2 order by id limit $3`,
      [ownerId, through, AGENTS_AT_ONCE],
    )
    const ids = agents.map(({ id }) => id)
    await lockForChange(tx, ids)
    const actor = await actorOfRow(tx, `owner_policies/${ownerId}`)
    await recordPolicyVersions(tx, ids, { vault, now: clock.now(), actor })
    const last = ids.length < AGENTS_AT_ONCE ? null : (ids.at(-1) ?? null)
    await tx.query(`update owner_policies set announced_through = $2 where owner_id = $1`, [ownerId, last])
    return ids.length
  })
}

/** Whether a change is not announced to all agents yet. */
export async function isUnannounced(db: Queryable, ownerId: Uuid): Promise<boolean> {
  const rows = await db.query(
    `select owner_id from owner_policies where owner_id = $1 and announced_through is not null`,
    [ownerId],
  )
  return rows.length > 0
}

export const OWNERS_UNANNOUNCED = 'exists (select from owner_policies where announced_through is not null)'

/** A bounded number of owners whose policy is not announced to all their agents. */
export async function selectUnannouncedOwners(db: Queryable, limit: number): Promise<Uuid[]> {
  const rows = await db.query<{ id: Uuid }>(
    `select owner_id as id from owner_policies where announced_through is not null order by owner_id limit $1`,
    [limit],
  )
  return rows.map(({ id }) => id)
}
