import type { Queryable } from '../../db/database.ts'

export async function isProcessedWebhook(
  db: Queryable,
  gateway: string,
  dedupeKey: string,
): Promise<boolean> {
  const rows = await db.query(
    `select received_at from gateway_notices where gateway = $1 and dedupe_key = $2`,
    [gateway, dedupeKey],
  )
  return rows.length > 0
}

export async function recordProcessedWebhook(
  db: Queryable,
  gateway: string,
  dedupeKey: string,
  now: Date,
): Promise<void> {
  await db.query(
    `insert into gateway_notices (gateway, dedupe_key, received_at) values ($1, $2, $3) on conflict do nothing`,
    [gateway, dedupeKey, now],
  )
}

const BATCH = 1_000

/** Deletes old entries: one bounded batch. Returns the number deleted. */
export async function deleteWebhooksBefore(db: Queryable, before: Date): Promise<number> {
  const rows = await db.query(
    `delete from gateway_notices n
     using (select gateway, dedupe_key from gateway_notices where received_at < $1 limit $2
            for update skip locked) old
     where n.gateway = old.gateway and n.dedupe_key = old.dedupe_key
     returning n.gateway`,
    [before, BATCH],
  )
  return rows.length
}
