import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import {
  type CoveredTable,
  lockGenuine,
  type MacRow,
  macColumns,
  type RowVersion,
  writeMacs,
} from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'

/** The MAC covers a platform's credentials and its webhook address. */
export const PLATFORM_ROWS: CoveredTable = {
  table: 'platforms',
  id: 'id',
  columns: ['secret_hash', 'status', 'webhook_url', 'webhook_secret'],
  rows: alias => `(select coalesce(jsonb_agg(jsonb_build_array(s.id, s.secret, extract(epoch from s.signs_until)::text)
    order by s.id), '[]') from previous_webhook_secrets s where s.platform_id = ${alias}.id)`,
  uncovered: {
    name: 'is only shown',
    email: 'is only shown, and encrypted for its row',
    created_at: 'is only shown',
    webhook_disabled_at: 'only stops webhooks',
  },
}

/** A platform as it is stored. Its e-mail address is encrypted. */
export interface Platform {
  readonly id: Uuid
  readonly name: string
  readonly email: Buffer | null
  readonly webhookUrl: string | null
  /** When its receiver responded with 410 Gone: nothing is sent until the address is set again. */
  readonly webhookDisabledAt: Date | null
  readonly status: 'active' | 'deleted'
  readonly createdAt: Date
}

const COLUMNS = `id, name, email, webhook_url as "webhookUrl",
  webhook_disabled_at as "webhookDisabledAt", status, created_at as "createdAt"`

export interface NewPlatform extends Omit<Platform, 'status' | 'webhookDisabledAt'> {
  readonly secretHash: Buffer
  /** Encrypted and not hashed, because it signs. */
  readonly webhookSecret: Buffer
}

export async function insertPlatform(
  db: Queryable,
  vault: Vault,
  platform: NewPlatform,
): Promise<RowVersion[]> {
  await db.query(
    `insert into platforms (id, name, email, webhook_url, webhook_secret, secret_hash, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      platform.id,
      platform.name,
      platform.email,
      platform.webhookUrl,
      platform.webhookSecret,
      platform.secretHash,
      platform.createdAt,
    ],
  )
  return writeMacs(db, vault, PLATFORM_ROWS, [platform.id])
}

export async function selectPlatform(db: Queryable, id: Uuid): Promise<Platform | null> {
  const [platform] = await db.query<Platform>(`select ${COLUMNS} from platforms where id = $1`, [id])
  return platform ?? null
}

/** The platform, locked until the commit. Lock order: the platform before any owner and account. */
export async function lockPlatform(tx: Queryable, vault: Vault, id: Uuid): Promise<Platform | null> {
  await lockGenuine(tx, vault, PLATFORM_ROWS, [id])
  const [platform] = await tx.query<Platform>(
    `select ${COLUMNS} from platforms where id = $1 for no key update`,
    [id],
  )
  return platform ?? null
}

/** The hash of an active platform's secret, not proven. */
export async function selectSecretHash(
  db: Queryable,
  id: Uuid,
): Promise<({ readonly secretHash: Buffer } & MacRow) | null> {
  const [row] = await db.query<{ readonly secretHash: Buffer } & MacRow>(
    `select p.secret_hash as "secretHash", ${macColumns(PLATFORM_ROWS, 'p')}
     from platforms p where p.id = $1 and p.status = 'active'`,
    [id],
  )
  return row ?? null
}

/** The hashes of the secrets of active platforms, not proven. */
export async function selectSecretHashes(
  db: Queryable,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, string>> {
  const rows = await db.query<{ id: Uuid; hash: string }>(
    `select id, encode(secret_hash, 'hex') as hash from platforms where id = any($1::uuid[]) and status = 'active'`,
    [arrayLiteral(ids)],
  )
  return new Map(rows.map(({ id, hash }) => [id, hash]))
}

/** The caller holds the platform's lock: see lockPlatform. */
export async function updatePlatform(tx: Queryable, vault: Vault, platform: Platform): Promise<RowVersion[]> {
  await tx.query(
    `update platforms set name = $2, email = $3, webhook_url = $4, webhook_disabled_at = $5, status = $6 where id = $1`,
    [
      platform.id,
      platform.name,
      platform.email,
      platform.webhookUrl,
      platform.webhookDisabledAt,
      platform.status,
    ],
  )
  return writeMacs(tx, vault, PLATFORM_ROWS, [platform.id])
}

export async function updateSecretHash(
  tx: Queryable,
  vault: Vault,
  id: Uuid,
  secretHash: Buffer,
): Promise<RowVersion[]> {
  await lockGenuine(tx, vault, PLATFORM_ROWS, [id])
  await tx.query(`update platforms set secret_hash = $2 where id = $1`, [id, secretHash])
  return writeMacs(tx, vault, PLATFORM_ROWS, [id])
}

export interface WebhookRotation {
  readonly webhookSecret: Buffer
  /** The id of the replaced secret, which also orders the previous secrets. */
  readonly previousId: Uuid
  /** Until when the replaced secret still signs. */
  readonly previousUntil: Date
  readonly now: Date
}

/** Makes the active secret a previous one, and deletes previous ones that no longer sign. */
export async function replaceWebhookSecret(
  tx: Queryable,
  vault: Vault,
  id: Uuid,
  { webhookSecret, previousId, previousUntil, now }: WebhookRotation,
): Promise<RowVersion[]> {
  // The lock comes first, so that a concurrent rotation sees the secret of this rotation as the active one.
  await lockGenuine(tx, vault, PLATFORM_ROWS, [id])
  await tx.query(`delete from previous_webhook_secrets where platform_id = $1 and signs_until <= $2`, [
    id,
    now,
  ])
  await tx.query(
    `insert into previous_webhook_secrets (platform_id, id, secret, signs_until)
     select id, $2, webhook_secret, $3 from platforms where id = $1`,
    [id, previousId, previousUntil],
  )
  await tx.query(`update platforms set webhook_secret = $2 where id = $1`, [id, webhookSecret])
  return writeMacs(tx, vault, PLATFORM_ROWS, [id])
}

/** The address and the encrypted secrets for the webhooks of a platform. */
export interface StoredWebhookTarget extends MacRow {
  readonly webhookUrl: string | null
  readonly webhookDisabledAt: Date | null
  readonly webhookSecret: Buffer
}

export async function selectWebhookTarget(db: Queryable, id: Uuid): Promise<StoredWebhookTarget | null> {
  const [row] = await db.query<StoredWebhookTarget>(
    `select p.webhook_url as "webhookUrl", p.webhook_disabled_at as "webhookDisabledAt",
       p.webhook_secret as "webhookSecret", ${macColumns(PLATFORM_ROWS, 'p')}
     from platforms p where p.id = $1`,
    [id],
  )
  return row ?? null
}

/** Replaced secrets that still sign at `now`, newest first. */
export async function selectPreviousSecrets(
  db: Queryable,
  platformId: Uuid,
  now: Date,
  limit: number,
): Promise<Buffer[]> {
  const rows = await db.query<{ secret: Buffer }>(
    `select secret from previous_webhook_secrets where platform_id = $1 and signs_until > $2
     order by id desc limit $3`,
    [platformId, now, limit],
  )
  return rows.map(({ secret }) => secret)
}

/** Disables this address, whose receiver is gone. An address that was set meanwhile stays enabled. */
export async function disableWebhookUrl(db: Queryable, id: Uuid, url: string, now: Date): Promise<void> {
  await db.query(
    `update platforms set webhook_disabled_at = coalesce(webhook_disabled_at, $3) where id = $1 and webhook_url = $2`,
    [id, url, now],
  )
}
