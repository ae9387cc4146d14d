import type { Queryable } from '../../../db/database.ts'
import type { CodeOwner, PhoneLogin } from './code-owner.ts'
import type { Sent, SharedCode } from './decide.ts'

export interface StoredCode {
  readonly hash: Buffer
  readonly triesLeft: number
  readonly expiresAt: Date
}

/**
 * When codes were sent to a phone, for this place and for all strangers, and the last that was sent for one. Both rows
 * are locked until the commit, the phone first, and are made empty where there are none.
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
    strangers: phone?.sentAt ?? [],
    shared: hash === null || expiresAt === null ? null : { hash, expiresAt },
  }
}

/** Puts a code in the place of the old one. */
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

/** Keeps when codes were sent for strangers, and the last of them. */
export async function keepSent(
  tx: Queryable,
  { audience, phoneIndex }: PhoneLogin,
  strangers: readonly Date[],
  shared: SharedCode | null,
  now: Date,
): Promise<void> {
  await tx.query(
    `update login_phones set sent_at = $3, code_hash = $4, code_expires_at = $5, last_sent_at = $6
     where audience = $1 and phone_index = $2`,
    [audience, phoneIndex, strangers, shared?.hash ?? null, shared?.expiresAt ?? null, now],
  )
}

/** A code that may be tried, and until when an earlier one counts as the first of two. */
export interface TriedCode {
  readonly hash: Buffer
  readonly secondUntil: Date | null
}

/** Uses up one try, and only then tells the hash: guesses side by side share what is left. null: no code to try. */
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
 * Takes the brakes on sending off a phone that somebody logged in with, at every place, but for the last sending of
 * each: the pause after it stays. What strangers tried stays counted.
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
 * Ends a code that was right, wherever it could be used; false when another call was first. The row of the phone is
 * locked before, so that calls at several places come one after the other.
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

/** Deletes codes that were dead before a moment, a bounded batch; answers how many. */
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

/** Forgets phones that got no code since a moment, a bounded batch; answers how many. */
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
