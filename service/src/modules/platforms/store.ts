import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'

/** A platform as it is stored; its e-mail address is sealed. */
export interface Platform {
  readonly id: Uuid
  readonly name: string
  readonly email: Buffer | null
  readonly webhookUrl: string | null
  readonly status: 'active' | 'deleted'
  readonly createdAt: Date
}

const COLUMNS = `id, name, email, webhook_url as "webhookUrl", status, created_at as "createdAt"`

export interface NewPlatform extends Omit<Platform, 'status'> {
  readonly secretHash: Buffer
  /** Sealed, not hashed: it signs. */
  readonly webhookSecret: Buffer
}

export async function insertPlatform(db: Queryable, platform: NewPlatform): Promise<void> {
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
}

export async function selectPlatform(db: Queryable, id: Uuid): Promise<Platform | null> {
  const [platform] = await db.query<Platform>(`select ${COLUMNS} from platforms where id = $1`, [id])
  return platform ?? null
}

/** The platform, locked until the commit. The lock comes before those of accounts, never after. */
export async function lockPlatform(tx: Queryable, id: Uuid): Promise<Platform | null> {
  const [platform] = await tx.query<Platform>(
    `select ${COLUMNS} from platforms where id = $1 for no key update`,
    [id],
  )
  return platform ?? null
}

export async function selectSecretHash(db: Queryable, id: Uuid): Promise<Buffer | null> {
  const [row] = await db.query<{ secret_hash: Buffer }>(
    `select secret_hash from platforms where id = $1 and status = 'active'`,
    [id],
  )
  return row?.secret_hash ?? null
}

export async function updatePlatform(tx: Queryable, platform: Platform): Promise<void> {
  await tx.query(`update platforms set name = $2, email = $3, webhook_url = $4, status = $5 where id = $1`, [
    platform.id,
    platform.name,
    platform.email,
    platform.webhookUrl,
    platform.status,
  ])
}

export async function updateSecretHash(db: Queryable, id: Uuid, secretHash: Buffer): Promise<void> {
  await db.query(`update platforms set secret_hash = $2 where id = $1`, [id, secretHash])
}

/** The secret in use becomes the previous one, which signs beside the new one until the given moment. */
export async function replaceWebhookSecret(
  db: Queryable,
  id: Uuid,
  webhookSecret: Buffer,
  previousUntil: Date,
): Promise<void> {
  await db.query(
    `update platforms set previous_webhook_secret = webhook_secret, previous_webhook_secret_until = $3,
       webhook_secret = $2
     where id = $1`,
    [id, webhookSecret, previousUntil],
  )
}
