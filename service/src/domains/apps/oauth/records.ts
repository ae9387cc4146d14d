import type { Queryable } from '../../../db/database.ts'
import type { Vault } from '../../../kernel/secrets.ts'

/** What the OAuth server stores, as its library passes it. */
export type Payload = Record<string, unknown>

export interface RecordContext {
  readonly database: Queryable
  readonly vault: Vault
}

export interface OAuthRecord {
  readonly payload: Payload
  readonly expiresAt: Date
  /** When a code or refresh token was used; null: it was not. */
  readonly consumedAt: Date | null
}

/** No payload contains codes and tokens: a row is found by a digest of them. */
const SECRETS: ReadonlySet<string> = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken'])

const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Whether a text has the form of a code or token. */
export function isTokenText(text: string): boolean {
  return TOKEN.test(text)
}

function idOf(vault: Vault, kind: string, id: string): Buffer {
  return vault.credentialHash(`${kind} ${id}`, 'oauth_records.id')
}

/** The keyed hash of a grant, which its app has. */
export function grantHashOf(vault: Vault, grantId: string): Buffer {
  return idOf(vault, 'Grant', grantId)
}

/** The expiry is authenticated with the payload, so that a row cannot be made to last longer. */
function contextOf(kind: string, id: Buffer, expiresAt: Date): string {
  return `oauth_records ${kind} ${id.toString('hex')} ${expiresAt.getTime()}`
}

export interface NewRecord {
  readonly kind: string
  readonly id: string
  readonly payload: Payload
  readonly now: Date
  readonly expiresAt: Date
  /** Of a client that registers itself. */
  readonly network?: string | undefined
}

export async function saveRecord({ database, vault }: RecordContext, record: NewRecord): Promise<void> {
  const { kind, payload, now, expiresAt, network } = record
  const id = idOf(vault, kind, record.id)
  const { jti, ...rest } = payload
  const stored = SECRETS.has(kind) ? rest : { jti, ...rest }
  const { grantId, uid } = payload
  await database.query(
    `insert into oauth_records (kind, id, grant_hash, uid, network, payload, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (kind, id) do update set payload = excluded.payload, expires_at = excluded.expires_at,
       grant_hash = excluded.grant_hash, uid = excluded.uid`,
    [
      kind,
      id,
      typeof grantId === 'string' ? grantHashOf(vault, grantId) : null,
      typeof uid === 'string' ? idOf(vault, `${kind} uid`, uid) : null,
      network === undefined ? null : idOf(vault, 'network', network),
      vault.encrypt(JSON.stringify(stored), contextOf(kind, id, expiresAt)),
      now,
      expiresAt,
    ],
  )
}

interface StoredRecord {
  readonly id: Buffer
  readonly payload: Buffer
  readonly expiresAt: Date
  readonly consumedAt: Date | null
}

const COLUMNS = 'id, payload, expires_at as "expiresAt", consumed_at as "consumedAt"'

/** The record with this id; null: there is none, or it has expired. */
export async function findRecord(
  context: RecordContext,
  kind: string,
  id: string,
  now: Date,
): Promise<OAuthRecord | null> {
  const [row] = await context.database.query<StoredRecord>(
    `select ${COLUMNS} from oauth_records where kind = $1 and id = $2 and expires_at > $3`,
    [kind, idOf(context.vault, kind, id), now],
  )
  return row === undefined ? null : opened(context, kind, row, id)
}

/** The same by the second id of a session. */
export async function findRecordByUid(
  context: RecordContext,
  kind: string,
  uid: string,
  now: Date,
): Promise<OAuthRecord | null> {
  const [row] = await context.database.query<StoredRecord>(
    `select ${COLUMNS} from oauth_records where uid = $1 and kind = $2 and expires_at > $3`,
    [idOf(context.vault, `${kind} uid`, uid), kind, now],
  )
  return row === undefined ? null : opened(context, kind, row, null)
}

function opened(
  { vault }: RecordContext,
  kind: string,
  { id, payload, expiresAt, consumedAt }: StoredRecord,
  text: string | null,
): OAuthRecord {
  const found: Payload = JSON.parse(vault.decrypt(payload, contextOf(kind, id, expiresAt)))
  const named = SECRETS.has(kind) && text !== null ? { ...found, jti: text } : found
  return { payload: named, expiresAt, consumedAt }
}

export async function deleteRecord(
  { database, vault }: RecordContext,
  kind: string,
  id: string,
): Promise<void> {
  await database.query(`delete from oauth_records where kind = $1 and id = $2`, [kind, idOf(vault, kind, id)])
}

/** Marks a code, a refresh token or a request as used. false: it was used before, by whichever node. */
export async function consumeRecord(
  { database, vault }: RecordContext,
  kind: string,
  id: string,
  now: Date,
): Promise<boolean> {
  const used = await database.query(
    `update oauth_records set consumed_at = $3 where kind = $1 and id = $2 and consumed_at is null returning kind`,
    [kind, idOf(vault, kind, id), now],
  )
  return used.length === 1
}

/** A request that could not be answered may be answered again. */
export async function releaseRecord(
  { database, vault }: RecordContext,
  kind: string,
  id: string,
): Promise<void> {
  await database.query(`update oauth_records set consumed_at = null where kind = $1 and id = $2`, [
    kind,
    idOf(vault, kind, id),
  ])
}

/** The most clients that register themselves from one network and are never connected. */
const MOST_OF_A_NETWORK = 1_000

/** Makes place for one more client of a network: the oldest of too many are dropped. */
export async function dropOldClients({ database, vault }: RecordContext, network: string): Promise<void> {
  await database.query(
    `delete from oauth_records where network = $1 and id in (
       select id from oauth_records where network = $1 order by created_at desc offset $2)`,
    [idOf(vault, 'network', network), MOST_OF_A_NETWORK - 1],
  )
}

/** How many clients there are that registered themselves. */
export async function countClients(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int4 as count from oauth_records where kind = 'Client'`,
    [],
  )
  return row?.count ?? 0
}

export async function deleteExpiredRecords(db: Queryable, now: Date, limit: number): Promise<number> {
  const deleted = await db.query(
    `delete from oauth_records where (kind, id) in (
       select kind, id from oauth_records where expires_at <= $1 order by expires_at limit $2) returning kind`,
    [now, limit],
  )
  return deleted.length
}
