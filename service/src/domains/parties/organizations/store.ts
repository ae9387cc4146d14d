import type { OrganizationTier } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import {
  type CoveredTable,
  type MacRow,
  macColumns,
  requireGenuine,
  requireGenuineRows,
  writeMacs,
} from '../../../db/row-mac.ts'
import type { PageRequest } from '../../../http/paging.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { OWNER_ROWS } from '../owners/store.ts'

export interface Organization {
  readonly id: Uuid
  readonly ownerId: Uuid
  readonly platformId: Uuid
  readonly name: string
  readonly tier: OrganizationTier
  readonly createdAt: Date
  /** Whether its owner is frozen. */
  readonly isFrozen: boolean
  /** null: no treasury was named, or it was deactivated. */
  readonly treasuryId: Uuid | null
}

const COLUMNS = `
  o.id, o.owner_id as "ownerId", o.platform_id as "platformId", o.name, o.tier, o.created_at as "createdAt",
  (select w.status = 'frozen' from owners w where w.id = o.owner_id) as "isFrozen",
  (select m.agent_id from org_members m where m.org_id = o.id and m.role = 'treasury') as "treasuryId"`

/** The MAC covers the owner of an organization, who may move the money of its treasury. */
export const ORGANIZATION_ROWS: CoveredTable = {
  table: 'organizations',
  id: 'id',
  columns: ['owner_id', 'platform_id', 'tier', 'created_at'],
  uncovered: { name: 'is only shown' },
}

/** An organization, proven by its MAC. */
export async function selectOrganization(
  db: Queryable,
  vault: Vault,
  id: Uuid,
): Promise<Organization | null> {
  const [row] = await db.query<Organization & MacRow>(
    `select ${COLUMNS}, ${macColumns(ORGANIZATION_ROWS, 'o')} from organizations o where o.id = $1`,
    [id],
  )
  if (row === undefined) return null
  const { macText, mac, macVersion, auditedVersion, ...organization } = row
  requireGenuine(vault, ORGANIZATION_ROWS, id, { macText, mac, macVersion, auditedVersion })
  return organization
}

/**
 * Takes the lock under which members and the treasury change; only the deactivation of an agent ends a membership
 * without it. It share-locks the owner first, so a concurrent freeze has either committed or waits.
 */
export async function lockOrganization(
  tx: Queryable,
  vault: Vault,
  { id, ownerId }: Pick<Organization, 'id' | 'ownerId'>,
): Promise<Organization | null> {
  await tx.query(`select id from owners where id = $1 for share`, [ownerId])
  await tx.query(`select id from organizations where id = $1 for update`, [id])
  // A statement of its own, so that it sees what was committed before the locks were granted.
  await requireGenuineRows(tx, vault, OWNER_ROWS, [ownerId])
  return selectOrganization(tx, vault, id)
}

/** The facts about an owner that creates an organization. */
export interface Founder {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly isFrozen: boolean
}

/** The owner with a share lock, so that it is not frozen before the commit. */
export async function lockFounder(tx: Queryable, vault: Vault, ownerId: Uuid): Promise<Founder | null> {
  const [row] = await tx.query<Founder>(
    `select id, platform_id as "platformId", status = 'frozen' as "isFrozen" from owners where id = $1 for share`,
    [ownerId],
  )
  await requireGenuineRows(tx, vault, OWNER_ROWS, [ownerId])
  return row ?? null
}

export async function insertOrganization(
  tx: Queryable,
  vault: Vault,
  organization: Organization,
): Promise<void> {
  const { id, ownerId, platformId, name, tier, createdAt } = organization
  await tx.query(
    `insert into organizations (id, owner_id, platform_id, name, tier, created_at) values ($1, $2, $3, $4, $5, $6)`,
    [id, ownerId, platformId, name, tier, createdAt],
  )
  await writeMacs(tx, vault, ORGANIZATION_ROWS, [id])
}

/** The organizations that a caller may see. */
export type OrganizationScope =
  | { readonly kind: 'platform'; readonly platformId: Uuid }
  | { readonly kind: 'owners'; readonly ownerIds: readonly Uuid[] }

export interface OrganizationFilter {
  readonly scope: OrganizationScope
  /** null: all owners in the scope. */
  readonly ownerId: Uuid | null
}

const IN_SCOPE = {
  platform: 'o.platform_id = $1::uuid',
  owners: 'o.owner_id = any($1::uuid[])',
} as const satisfies Record<OrganizationScope['kind'], string>

const MATCHES = `($2::uuid is null or o.owner_id = $2)`

function filterValues({ scope, ownerId }: OrganizationFilter): unknown[] {
  return [scope.kind === 'platform' ? scope.platformId : scope.ownerIds, ownerId]
}

/** A page of organizations, newest first. */
export async function selectOrganizations(
  db: Queryable,
  filter: OrganizationFilter,
  page: PageRequest,
): Promise<Organization[]> {
  return db.query<Organization>(
    `select ${COLUMNS} from organizations o
     where ${IN_SCOPE[filter.scope.kind]} and ${MATCHES} and ($3::uuid is null or o.id < $3)
     order by o.id desc limit $4 offset $5`,
    [...filterValues(filter), page.before, page.fetch, page.offset],
  )
}

export async function countOrganizations(db: Queryable, filter: OrganizationFilter): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from organizations o where ${IN_SCOPE[filter.scope.kind]} and ${MATCHES}`,
    filterValues(filter),
  )
  return Number(row?.count ?? 0)
}
