import type { PasskeyTransport } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import {
  AlteredRow,
  type CoveredTable,
  lockGenuine,
  type MacRow,
  macColumns,
  type RowVersion,
  requireGenuine,
  writeMacs,
} from '../../../db/row-mac.ts'
import type { PhoneSessionKind } from '../../../http/admission/session-cookies.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'

/** The MAC covers whose passkey it is, its key, and from when until when it can be used. */
export const PASSKEY_ROWS: CoveredTable = {
  table: 'passkeys',
  id: 'id',
  columns: ['audience', 'phone', 'phone_index', 'credential_id', 'public_key', 'created_at', 'effective_at'],
  laterColumns: ['removed_at'],
  uncovered: {
    name: 'is only shown',
    last_used_at: 'is only shown',
    transports: 'only helps the browser to find the device',
    sign_count: 'only finds a copied key, and most passkeys count nothing',
  },
}

/** The person of a session: an owner or administrator by the phone. */
export interface Person {
  readonly audience: PhoneSessionKind
  readonly phoneIndex: Buffer
}

export interface Passkey extends Person {
  readonly id: Uuid
  /** Encrypted. */
  readonly phone: Buffer
  readonly name: string
  readonly credentialId: Buffer
  /** COSE. */
  readonly publicKey: Buffer
  readonly transports: readonly PasskeyTransport[]
  readonly signCount: number
  readonly createdAt: Date
  readonly effectiveAt: Date
  readonly removedAt: Date | null
  readonly lastUsedAt: Date | null
}

const COLUMNS = `p.id, p.audience, p.phone, p.phone_index as "phoneIndex", p.name,
  p.credential_id as "credentialId", p.public_key as "publicKey", p.transports,
  p.sign_count::float8 as "signCount", p.created_at as "createdAt", p.effective_at as "effectiveAt",
  p.removed_at as "removedAt", p.last_used_at as "lastUsedAt", ${macColumns(PASSKEY_ROWS, 'p')}`

/** A digest that names a person in the log and to authenticators, and reveals nothing about the phone. */
export function holderOf(vault: Vault, { audience, phoneIndex }: Person): string {
  return vault
    .blindIndex(`${audience} ${phoneIndex.toString('hex')}`, 'passkeys.holder')
    .toString('base64url')
}

/** All passkeys that a person has enrolled, removed ones too. It fails if a row was altered or deleted. */
export async function selectPasskeys(db: Queryable, vault: Vault, person: Person): Promise<Passkey[]> {
  const holder = holderOf(vault, person)
  const rows = await db.query<(Passkey | { readonly id: null }) & MacRow & { readonly enrolled: number }>(
    `select l.enrolled, ${COLUMNS}
     from (select count(*)::int4 as enrolled from audit_entries e
       where e.action = 'passkey.enrolled' and e.data::jsonb ->> 'holder' = $3) l
     left join passkeys p on p.phone_index = $1 and p.audience = $2
     order by p.id`,
    [person.phoneIndex, person.audience, holder],
  )
  const passkeys = rows.filter(row => row.id !== null)
  for (const row of passkeys) requireGenuine(vault, PASSKEY_ROWS, row.id, row)
  const [first] = rows
  if (first !== undefined && first.enrolled !== passkeys.length) {
    vault.onAltered('passkeys', holder, 'are not as many as were enrolled')
    throw new AlteredRow('passkeys', holder, 'are not as many as were enrolled')
  }
  return passkeys
}

/** The audit entries of the enrolments of a person, by the passkey's id on the wire. */
export async function selectEnrolments(
  db: Queryable,
  vault: Vault,
  person: Person,
): Promise<ReadonlyMap<string, Uuid>> {
  const rows = await db.query<{ id: Uuid; target: string }>(
    `select id, target from audit_entries
     where action = 'passkey.enrolled' and data::jsonb ->> 'holder' = $1`,
    [holderOf(vault, person)],
  )
  return new Map(rows.map(({ id, target }) => [target, id]))
}

/** The passkey with this credential id, of any person; null: there is none. It fails if its row was altered. */
export async function selectPasskeyByCredential(
  db: Queryable,
  vault: Vault,
  credentialId: Buffer,
): Promise<Passkey | null> {
  const [row] = await db.query<Passkey & MacRow>(
    `select ${COLUMNS} from passkeys p where p.credential_id = $1`,
    [credentialId],
  )
  if (row === undefined) return null
  requireGenuine(vault, PASSKEY_ROWS, row.id, row)
  return row
}

/** Returns false if the credential is enrolled already. */
export async function insertPasskey(tx: Queryable, vault: Vault, passkey: Passkey): Promise<boolean> {
  const rows = await tx.query(
    `insert into passkeys (id, audience, phone, phone_index, name, credential_id, public_key, transports, sign_count,
       created_at, effective_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (credential_id) do nothing returning id`,
    [
      passkey.id,
      passkey.audience,
      passkey.phone,
      passkey.phoneIndex,
      passkey.name,
      passkey.credentialId,
      passkey.publicKey,
      `{${passkey.transports.map(each => `"${each}"`).join(',')}}`,
      passkey.signCount,
      passkey.createdAt,
      passkey.effectiveAt,
    ],
  )
  if (rows.length === 0) return false
  await writeMacs(tx, vault, PASSKEY_ROWS, [passkey.id])
  return true
}

/** Sets from when a passkey cannot be used; null: it is kept. */
export async function updateRemoval(
  tx: Queryable,
  vault: Vault,
  id: Uuid,
  removedAt: Date | null,
): Promise<RowVersion[]> {
  await lockGenuine(tx, vault, PASSKEY_ROWS, [id])
  await tx.query(`update passkeys set removed_at = $2 where id = $1`, [id, removedAt])
  return writeMacs(tx, vault, PASSKEY_ROWS, [id])
}

export async function updateUse(tx: Queryable, id: Uuid, signCount: number, now: Date): Promise<void> {
  await tx.query(
    `update passkeys set last_used_at = greatest(last_used_at, $2), sign_count = greatest(sign_count, $3)
     where id = $1`,
    [id, now, signCount],
  )
}

/** Makes enrolments and removals of one person wait for each other. */
export async function lockPerson(tx: Queryable, { audience, phoneIndex }: Person): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `passkeys ${audience} ${phoneIndex.toString('hex')}`,
  ])
}

/** The context that the encryption of a passkey's phone authenticates. */
export function passkeyPhoneOf(id: Uuid): string {
  return `passkeys.phone:${id}`
}
