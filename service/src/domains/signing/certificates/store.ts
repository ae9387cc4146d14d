import type { Tier } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { PageRequest } from '../../../http/paging.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Certificate, CertificateStatus } from './certificate.ts'

/** A certificate with the MAC of its row, not yet verified. */
export interface StoredCertificate extends Certificate {
  readonly mac: Buffer
}

const COLUMNS = `id, agent_id as "agentId", subject, public_key as "publicKey", capabilities, tier, issuer,
  issued_at as "issuedAt", expires_at as "expiresAt", key_id as "keyId", signature, revoked_at as "revokedAt",
  revocation_reason as "revocationReason", is_default as "isDefault", seal as mac`

export async function insertCertificates(tx: Queryable, rows: readonly StoredCertificate[]): Promise<void> {
  const texts = (of: (row: StoredCertificate) => string) => textArrayLiteral(rows.map(of))
  await tx.query(
    `insert into certificates (id, agent_id, subject, public_key, capabilities, tier, issuer, issued_at, expires_at,
       key_id, signature, seal, is_default)
     select v.id, v.agent_id, v.subject, v.public_key, v.capabilities::text[], v.tier, v.issuer, v.issued_at,
       v.expires_at, v.key_id, decode(v.signature, 'hex'), decode(v.mac, 'hex'), v.is_default
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::timestamptz[], $9::timestamptz[], $10::text[], $11::text[], $12::text[], $13::boolean[])
       v(id, agent_id, subject, public_key, capabilities, tier, issuer, issued_at, expires_at, key_id, signature, mac,
         is_default)`,
    [
      arrayLiteral(rows.map(row => row.id)),
      arrayLiteral(rows.map(row => row.agentId)),
      texts(row => row.subject),
      texts(row => row.publicKey),
      texts(row => arrayLiteral(row.capabilities)),
      texts(row => row.tier),
      texts(row => row.issuer),
      texts(row => row.issuedAt.toISOString()),
      texts(row => row.expiresAt.toISOString()),
      texts(row => row.keyId),
      texts(row => row.signature.toString('hex')),
      texts(row => row.mac.toString('hex')),
      arrayLiteral(rows.map(row => (row.isDefault === null ? null : String(row.isDefault)))),
    ],
  )
}

export async function selectCertificate(db: Queryable, id: Uuid): Promise<StoredCertificate | null> {
  const [row] = await db.query<StoredCertificate>(`select ${COLUMNS} from certificates where id = $1`, [id])
  return row ?? null
}

/** Locks the certificate, so that concurrent revocations run one after the other. */
export async function lockCertificate(tx: Queryable, id: Uuid): Promise<StoredCertificate | null> {
  const [row] = await tx.query<StoredCertificate>(
    `select ${COLUMNS} from certificates where id = $1 for update`,
    [id],
  )
  return row ?? null
}

/** The certificates of these agents that are not revoked, locked in the order of their ids. */
export async function lockUnrevoked(tx: Queryable, agentIds: readonly Uuid[]): Promise<StoredCertificate[]> {
  return tx.query<StoredCertificate>(
    `select ${COLUMNS} from certificates where agent_id = any($1::uuid[]) and revoked_at is null
     order by id for update`,
    [arrayLiteral(agentIds)],
  )
}

const DEFAULT_IN_FORCE = `revoked_at is null and expires_at > $2 and (is_default or is_default is null and id = (
  select o.id from certificates o where o.agent_id = certificates.agent_id order by o.id limit 1))`

/** The default certificates in force of these agents, locked in the order of their ids. */
export async function lockDefaults(
  tx: Queryable,
  agentIds: readonly Uuid[],
  now: Date,
): Promise<StoredCertificate[]> {
  return tx.query<StoredCertificate>(
    `select ${COLUMNS} from certificates where agent_id = any($1::uuid[]) and ${DEFAULT_IN_FORCE} order by id for update`,
    [arrayLiteral(agentIds), now],
  )
}

/** Whether an agent has a default certificate in force with another name or tier than the agent's. */
export async function hasOutdatedDefault(
  db: Queryable,
  { id, name, tier }: { readonly id: Uuid; readonly name: string; readonly tier: Tier },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    `select 1 from certificates where agent_id = $1 and ${DEFAULT_IN_FORCE} and (subject <> $3 or tier <> $4)`,
    [id, now, name, tier],
  )
  return rows.length > 0
}

/** Writes the revocations of these certificates, and the MACs that cover them. */
export async function updateRevoked(tx: Queryable, rows: readonly StoredCertificate[]): Promise<void> {
  await tx.query(
    `update certificates c set revoked_at = v.revoked_at, revocation_reason = v.reason, seal = decode(v.mac, 'hex')
     from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[]) v(id, revoked_at, reason, mac)
     where c.id = v.id`,
    [
      arrayLiteral(rows.map(row => row.id)),
      textArrayLiteral(rows.map(row => row.revokedAt?.toISOString() ?? null)),
      textArrayLiteral(rows.map(row => row.revocationReason)),
      textArrayLiteral(rows.map(row => row.mac.toString('hex'))),
    ],
  )
}

/** The certificates of an agent that the audit log records as revoked, by their public ids. */
export async function selectRevokedInLog(
  db: Queryable,
  agentId: Uuid,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ target: string }>(
    `select target from audit_entries
     where agent_id = $1 and action = 'certificate.revoked' and target = any($2::text[])`,
    [agentId, textArrayLiteral(ids)],
  )
  return rows.map(({ target }) => target)
}

export interface CertificateFilter {
  readonly agentId: Uuid
  readonly status: CertificateStatus | null
  /** The time as of which the status is computed: a certificate expires by itself. */
  readonly now: Date
}

const MATCHES = `agent_id = $1 and ($2::text is null or $2 = case when revoked_at is not null then 'revoked'
  when expires_at <= $3 then 'expired' else 'active' end)`

export async function selectCertificates(
  db: Queryable,
  { agentId, status, now }: CertificateFilter,
  page: Pick<PageRequest, 'before' | 'fetch' | 'offset'>,
): Promise<StoredCertificate[]> {
  return db.query<StoredCertificate>(
    `select ${COLUMNS} from certificates where ${MATCHES} and ($4::uuid is null or id < $4)
     order by id desc limit $5 offset $6`,
    [agentId, status, now, page.before, page.fetch, page.offset],
  )
}

export async function countCertificates(
  db: Queryable,
  { agentId, status, now }: CertificateFilter,
): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from certificates where ${MATCHES}`,
    [agentId, status, now],
  )
  return Number(row?.count ?? 0)
}
