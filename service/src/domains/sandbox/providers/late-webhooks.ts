import type { Queryable } from '../../../db/database.ts'
import { newUuid } from '../../../kernel/ids.ts'
import type { Deliver } from './deliver.ts'
import { signWebhook } from './webhooks.ts'

/** A webhook that is sent when it is due. It is signed only then. */
export interface LateWebhook {
  /** The gateway that sends it. */
  readonly gateway: string
  readonly body: string
  readonly dueAt: Date
}

export async function insertLateWebhook(db: Queryable, { gateway, body, dueAt }: LateWebhook): Promise<void> {
  await db.query(`insert into sandbox_notices (id, gateway, body, due_at) values ($1, $2, $3, $4)`, [
    newUuid(dueAt),
    gateway,
    body,
    dueAt,
  ])
}

export interface Sender {
  readonly gateway: string
  readonly secret: string
  readonly deliver: Deliver
}

export const WEBHOOKS_DUE = 'exists (select from sandbox_notices where due_at <= $1)'

/** Sends the webhooks that are due, each once. Returns the number sent. */
export async function sendLateWebhooks(
  db: Queryable,
  { gateway, secret, deliver }: Sender,
  now: Date,
  limit: number,
): Promise<number> {
  const due = await db.query<{ body: string }>(
    `delete from sandbox_notices n
     using (select id from sandbox_notices where gateway = $1 and due_at <= $2 order by due_at limit $3
            for update skip locked) due
     where n.id = due.id
     returning n.body`,
    [gateway, now, limit],
  )
  await Promise.all(due.map(({ body }) => deliver(signWebhook(body, secret, now))))
  return due.length
}
