import type { Queryable } from '../../../db/database.ts'
import type { Sent, SharedCode } from './decide.ts'
import type { PhoneLogin, Requester } from './phone-login.ts'

export interface StoredCode {
  readonly hash: Buffer
  readonly triesLeft: number
  readonly expiresAt: Date
  /** Whether the code was sent within the allowance of a known place. */
  readonly isTrusted: boolean
}

/**
 * When codes were sent to a phone, for this requester, for the known place and for all unknown places, and the last code
 * sent for one of these. It locks the rows until the commit, the phone's first, and inserts empty ones if they are
 * missing.
 */
export async function lockSent(
  tx: Queryable,
  { audience, phoneIndex, place: requester }: Requester,
  known: Buffer | null,
  now: Date,
): Promise<Sent & { readonly shared: SharedCode | null }> {
  const [phone] = await tx.query<{ sentAt: Date[]; hash: Buffer | null; expiresAt: Date | null }>(
    `insert into login_phones as p (audience, phone_index, sent_at, last_sent_at) values ($1, $2, '{}', $3)
     on conflict (audience, phone_index) do update set audience = p.audience
     returning sent_at as "sentAt", code_hash as hash, code_expires_at as "expiresAt"`,
    [audience, phoneIndex, now],
  )
  const rows = await tx.query<{ place: Buffer; sentAt: Date[] }>(
    `insert into login_codes as c (audience, phone_index, address_index, code_hash, tries_left, expires_at, sent_at)
     select distinct $1, $2::bytea, place, null::bytea, 0, $4::timestamptz, '{}'::timestamptz[]
     from unnest($3::bytea[]) place
     on conflict (audience, phone_index, address_index) do update set audience = c.audience
     returning address_index as place, sent_at as "sentAt"`,
    [audience, phoneIndex, known === null ? [requester] : [requester, known], now],
  )
  const sentAt = (wanted: Buffer) => rows.find(({ place }) => place.equals(wanted))?.sentAt ?? []
  const { hash = null, expiresAt = null } = phone ?? {}
  return {
    here: sentAt(requester),
    known: known === null ? null : sentAt(known),
    unknownPlaces: phone?.sentAt ?? [],
    shared: hash === null || expiresAt === null ? null : { hash, expiresAt },
  }
}

/** Replaces the code of a requester. */
export async function replaceCode(
  tx: Queryable,
  { audience, phoneIndex, place }: Requester,
  code: StoredCode,
  here: readonly Date[],
): Promise<void> {
  await tx.query(
    `update login_codes set code_hash = $4, tries_left = $5, expires_at = $6, sent_at = $7, is_trusted = $8
     where audience = $1 and phone_index = $2 and address_index = $3`,
    [audience, phoneIndex, place, code.hash, code.triesLeft, code.expiresAt, here, code.isTrusted],
  )
}

/** Stores when codes were sent for all requesters of a known place. A row is kept as long as its latest moment counts. */
export async function keepTrustedSent(
  tx: Queryable,
  { audience, phoneIndex, place }: Requester,
  known: Buffer,
  sentAt: readonly Date[],
  now: Date,
): Promise<void> {
  if (known.equals(place)) return
  await tx.query(
    `update login_codes set sent_at = $4, expires_at = greatest(expires_at, $5)
     where audience = $1 and phone_index = $2 and address_index = $3`,
    [audience, phoneIndex, known, sentAt, now],
  )
}

/** Stores when codes were sent for unknown places, and the last of them. */
export async function keepSent(
  tx: Queryable,
  { audience, phoneIndex }: PhoneLogin,
  unknownPlaces: readonly Date[],
  shared: SharedCode | null,
  now: Date,
): Promise<void> {
  await tx.query(
    `update login_phones set sent_at = $3, code_hash = $4, code_expires_at = $5, last_sent_at = $6
     where audience = $1 and phone_index = $2`,
    [audience, phoneIndex, unknownPlaces, shared?.hash ?? null, shared?.expiresAt ?? null, now],
  )
}

/** A code that is being tried. */
export interface TriedCode {
  readonly place: Buffer
  readonly hash: Buffer
  readonly isTrusted: boolean
  /** How many codes in a row were right here before. */
  readonly rightCodes: number
}

/**
 * Uses up one try of the first of these places that has asked for a code, and then returns the hash, so concurrent
 * guesses share the tries. null: there is no code to try.
 */
export async function takeTry(
  db: Queryable,
  { audience, phoneIndex }: PhoneLogin,
  places: readonly Buffer[],
  now: Date,
): Promise<TriedCode | null> {
  const [row] = await db.query<TriedCode>(
    `update login_codes set tries_left = tries_left - 1
     where audience = $1 and phone_index = $2 and address_index = (
         select address_index from login_codes
         where audience = $1 and phone_index = $2 and address_index = any($3::bytea[])
         order by array_position($3::bytea[], address_index) limit 1)
       and code_hash is not null and tries_left > 0 and expires_at > $4
     returning address_index as place, code_hash as hash, is_trusted as "isTrusted",
       case when second_until > $4 then right_codes else 0 end::int4 as "rightCodes"`,
    [audience, phoneIndex, places, now],
  )
  return row ?? null
}

/**
 * Resets the limits on sending codes to a phone after a login, at every place, except the last sending of each, whose
 * pause stays. Tries from unknown places stay counted.
 */
export async function releaseBrakes(tx: Queryable, phone: PhoneLogin): Promise<void> {
  const parameters = [phone.audience, phone.phoneIndex]
  await tx.query(
    `update login_phones set sent_at = '{}' where audience = $1 and phone_index = $2`,
    parameters,
  )
  await tx.query(
    `update login_codes set sent_at = sent_at[cardinality(sent_at):] where audience = $1 and phone_index = $2`,
    parameters,
  )
}

/**
 * Ends a right code at every place where it is valid; false if a concurrent request used it first. The caller has
 * locked the row of the phone, so that requests from several places run one after the other.
 */
export async function consumeCode(
  tx: Queryable,
  { audience, phoneIndex, place: requester }: Requester,
  hash: Buffer,
): Promise<boolean> {
  await tx.query(
    `update login_phones set code_hash = case when code_hash = $3 then null else code_hash end
     where audience = $1 and phone_index = $2`,
    [audience, phoneIndex, hash],
  )
  const rows = await tx.query<{ place: Buffer }>(
    `update login_codes set code_hash = null, tries_left = 0, second_until = null
     where audience = $1 and phone_index = $2 and code_hash = $3 returning address_index as place`,
    [audience, phoneIndex, hash],
  )
  return rows.some(({ place }) => place.equals(requester))
}

/** Deletes a bounded batch of codes that expired before a moment. Returns the number deleted. */
export async function deleteCodesBefore(db: Queryable, moment: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from login_codes where (audience, phone_index, address_index) in (
       select audience, phone_index, address_index from login_codes
       where expires_at <= $1 order by expires_at limit $2 for update skip locked)
     returning audience`,
    [moment, limit],
  )
  return rows.length
}

/** Deletes a bounded batch of phones without a code since a moment. Returns the number deleted. */
export async function deletePhonesBefore(db: Queryable, moment: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from login_phones where (audience, phone_index) in (
       select audience, phone_index from login_phones
       where last_sent_at <= $1 order by last_sent_at limit $2 for update skip locked)
     returning audience`,
    [moment, limit],
  )
  return rows.length
}
