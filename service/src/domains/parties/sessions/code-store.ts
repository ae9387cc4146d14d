import type { Queryable } from '../../../db/database.ts'
import type { Sent, SharedCode } from './decide.ts'
import type { CodeOwner, PhoneLogin } from './phone-login.ts'

export interface StoredCode {
  readonly hash: Buffer
  readonly triesLeft: number
  readonly expiresAt: Date
}

/**
 * When codes were sent to a phone, for this place and for all unknown places, and the last code sent for one of these.
 * It locks both rows until the commit, the phone's first, and inserts empty ones if they are missing.
 */
export async function lockSent(
  tx: Queryable,
  owner: CodeOwner,
  now: Date,
): Promise<Sent & { readonly shared: SharedCode | null }> {
  const [phone] = await tx.query<{ sentAt: Date[]; hash: Buffer | null; expiresAt: Date | null }>(
    `insert into login_phones as p (audience, phone_index, sent_at, last_sent_at) values ($1, $2, '{}', $3)
     on conflict (audience, phone_index) do update set audience = p.audience
     returning sent_at as "sentAt", code_hash as hash, code_expires_at as "expiresAt"`,
    [owner.audience, owner.phoneIndex, now],
  )
  const [place] = await tx.query<{ sentAt: Date[] }>(
    `insert into login_codes as c (audience, phone_index, address_index, code_hash, tries_left, expires_at, sent_at)
     values ($1, $2, $3, null, 0, $4, '{}')
     on conflict (audience, phone_index, address_index) do update set audience = c.audience
     returning sent_at as "sentAt"`,
    [owner.audience, owner.phoneIndex, owner.addressIndex, now],
  )
  const { hash = null, expiresAt = null } = phone ?? {}
  return {
    here: place?.sentAt ?? [],
    unknownPlaces: phone?.sentAt ?? [],
    shared: hash === null || expiresAt === null ? null : { hash, expiresAt },
  }
}

/** Replaces the code of a place. */
export async function replaceCode(
  tx: Queryable,
  owner: CodeOwner,
  code: StoredCode,
  here: readonly Date[],
): Promise<void> {
  await tx.query(
    `update login_codes set code_hash = $4, tries_left = $5, expires_at = $6, sent_at = $7
     where audience = $1 and phone_index = $2 and address_index = $3`,
    [owner.audience, owner.phoneIndex, owner.addressIndex, code.hash, code.triesLeft, code.expiresAt, here],
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

/** A code that may be tried, and until when an earlier right one counts as the first of two. */
export interface TriedCode {
  readonly hash: Buffer
  readonly secondUntil: Date | null
}

/** Uses up one try and then returns the hash, so concurrent guesses share the tries. null: there is no code to try. */
export async function takeTry(db: Queryable, owner: CodeOwner, now: Date): Promise<TriedCode | null> {
  const [row] = await db.query<TriedCode>(
    `update login_codes set tries_left = tries_left - 1
     where audience = $1 and phone_index = $2 and address_index = $3
       and code_hash is not null and tries_left > 0 and expires_at > $4
     returning code_hash as hash, second_until as "secondUntil"`,
    [owner.audience, owner.phoneIndex, owner.addressIndex, now],
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
export async function consumeCode(tx: Queryable, owner: CodeOwner, hash: Buffer): Promise<boolean> {
  await tx.query(
    `update login_phones set code_hash = case when code_hash = $3 then null else code_hash end
     where audience = $1 and phone_index = $2`,
    [owner.audience, owner.phoneIndex, hash],
  )
  const rows = await tx.query<{ place: Buffer }>(
    `update login_codes set code_hash = null, tries_left = 0, second_until = null
     where audience = $1 and phone_index = $2 and code_hash = $3 returning address_index as place`,
    [owner.audience, owner.phoneIndex, hash],
  )
  return rows.some(({ place }) => place.equals(owner.addressIndex))
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
