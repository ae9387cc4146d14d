import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { AlteredRow } from '../../db/row-mac.ts'
import type { PushTarget } from '../../gateways/web-push.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'

/** A browser in which a person is notified, as it is stored. */
export interface StoredSubscription {
  readonly id: Uuid
  readonly phoneIndex: Buffer
  /** The session in which the browser was logged in last. */
  readonly sessionId: Uuid
  /** Encrypted; only shown. */
  readonly agentHint: Buffer
  readonly createdAt: Date
  readonly lastNotifiedAt: Date | null
}

export interface NewSubscription extends Omit<StoredSubscription, 'lastNotifiedAt'> {
  readonly endpointIndex: Buffer
  /** Encrypted. */
  readonly target: Buffer
}

const COLUMNS = `id, phone_index as "phoneIndex", session_id as "sessionId", agent_hint as "agentHint",
  created_at as "createdAt", last_notified_at as "lastNotifiedAt"`

/** The person’s browsers, newest first. */
export function selectSubscriptions(db: Queryable, phoneIndex: Buffer): Promise<StoredSubscription[]> {
  return db.query<StoredSubscription>(
    `select ${COLUMNS} from push_subscriptions where phone_index = $1 order by id desc`,
    [phoneIndex],
  )
}

/** The subscription with this endpoint, locked; null: none has it. */
export async function lockByEndpoint(
  tx: Queryable,
  endpointIndex: Buffer,
): Promise<StoredSubscription | null> {
  const [row] = await tx.query<StoredSubscription>(
    `select ${COLUMNS} from push_subscriptions where endpoint_index = $1 for update`,
    [endpointIndex],
  )
  return row ?? null
}

/** Stores a subscription; another one with the same endpoint gives way, also if it came at the same moment. */
export async function putSubscription(tx: Queryable, subscription: NewSubscription): Promise<void> {
  const { id, phoneIndex, endpointIndex, target, sessionId, agentHint, createdAt } = subscription
  await tx.query(
    `insert into push_subscriptions (id, phone_index, endpoint_index, target, session_id, agent_hint, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (endpoint_index) do update set id = excluded.id, phone_index = excluded.phone_index,
       target = excluded.target, session_id = excluded.session_id, agent_hint = excluded.agent_hint,
       created_at = excluded.created_at, last_notified_at = null, failures = 0, paused_until = null`,
    [id, phoneIndex, endpointIndex, target, sessionId, agentHint, createdAt],
  )
}

/** Gives a known browser its new keys and the session that it is in now. */
export async function renewSubscription(
  tx: Queryable,
  { id, target, sessionId }: Pick<NewSubscription, 'id' | 'target' | 'sessionId'>,
): Promise<void> {
  await tx.query(
    `update push_subscriptions set target = $2, session_id = $3, failures = 0, paused_until = null where id = $1`,
    [id, target, sessionId],
  )
}

/** Ends a subscription of a person; false: the person has none with this id. */
export async function deleteSubscription(tx: Queryable, id: Uuid, phoneIndex: Buffer): Promise<boolean> {
  const rows = await tx.query(
    `delete from push_subscriptions where id = $1 and phone_index = $2 returning id`,
    [id, phoneIndex],
  )
  return rows.length === 1
}

/** Ends the subscriptions of the browsers that were in these sessions last; returns their ids. */
export async function deleteOfSessions(tx: Queryable, sessionIds: readonly Uuid[]): Promise<Uuid[]> {
  const rows = await tx.query<{ id: Uuid }>(
    `delete from push_subscriptions where session_id = any($1::uuid[]) returning id`,
    [arrayLiteral(sessionIds)],
  )
  return rows.map(({ id }) => id)
}

/** A browser to send to. */
export interface Addressee {
  readonly id: Uuid
  readonly phoneIndex: Buffer
  /** How many attempts have failed since the last that succeeded. */
  readonly failures: number
  /** null: now. */
  readonly pausedUntil: Date | null
}

export function selectAddressees(db: Queryable, phones: readonly Buffer[]): Promise<Addressee[]> {
  return db.query<Addressee>(
    `select id, phone_index as "phoneIndex", failures, paused_until as "pausedUntil"
     from push_subscriptions where phone_index = any($1::bytea[])`,
    [phones],
  )
}

export async function selectTarget(
  db: Queryable,
  id: Uuid,
): Promise<{ readonly phoneIndex: Buffer; readonly target: Buffer; readonly failures: number } | null> {
  const [row] = await db.query<{ phoneIndex: Buffer; target: Buffer; failures: number }>(
    `select phone_index as "phoneIndex", target, failures from push_subscriptions where id = $1`,
    [id],
  )
  return row ?? null
}

export async function noteAccepted(db: Queryable, id: Uuid, now: Date): Promise<void> {
  await db.query(
    `update push_subscriptions set last_notified_at = $2, failures = 0, paused_until = null where id = $1`,
    [id, now],
  )
}

export async function noteFailed(db: Queryable, id: Uuid, pausedUntil: Date): Promise<void> {
  await db.query(
    `update push_subscriptions set failures = failures + 1, paused_until = greatest(paused_until, $2) where id = $1`,
    [id, pausedUntil],
  )
}

/** The encryption authenticates the person and the row, so no browser can be moved to another person. */
function contextOf(column: string, id: Uuid, phoneIndex: Buffer): string {
  return `push_subscriptions.${column} ${id} ${phoneIndex.toString('hex')}`
}

type Row = Pick<StoredSubscription, 'id' | 'phoneIndex'>

export function encryptTarget(vault: Vault, { id, phoneIndex }: Row, target: PushTarget): Buffer {
  return vault.encrypt(
    JSON.stringify([target.endpoint, target.p256dh, target.auth]),
    contextOf('target', id, phoneIndex),
  )
}

export function decryptTarget(vault: Vault, { id, phoneIndex }: Row, encrypted: Buffer): PushTarget {
  const [endpoint, p256dh, auth] = JSON.parse(decrypted(vault, { id, phoneIndex }, 'target', encrypted)) as [
    string,
    string,
    string,
  ]
  return { endpoint, p256dh, auth }
}

export function encryptHint(vault: Vault, { id, phoneIndex }: Row, hint: string | null): Buffer {
  return vault.encrypt(JSON.stringify(hint), contextOf('agent_hint', id, phoneIndex))
}

export function decryptHint(vault: Vault, row: Row, encrypted: Buffer): string | null {
  return JSON.parse(decrypted(vault, row, 'agent_hint', encrypted)) as string | null
}

function decrypted(vault: Vault, { id, phoneIndex }: Row, column: string, encrypted: Buffer): string {
  try {
    return vault.decrypt(encrypted, contextOf(column, id, phoneIndex))
  } catch {
    vault.onAltered('push_subscriptions', id, 'does not open')
    throw new AlteredRow('push_subscriptions', id, 'does not open')
  }
}

export function endpointIndex(vault: Vault, endpoint: string): Buffer {
  return vault.blindIndex(endpoint, 'push_subscriptions.endpoint')
}
