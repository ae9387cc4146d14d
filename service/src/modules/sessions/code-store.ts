import type { Queryable } from '../../db/database.ts'
import type { CodeOwner, PhoneLogin } from './code-owner.ts'
import type { Sent } from './decide.ts'

export interface StoredCode {
  readonly hash: Buffer
  readonly triesLeft: number
  readonly expiresAt: Date
}

/**
 * When codes were sent to a phone, from this address and from all. Both are locked until the commit, the phone first,
 * and get an empty row where they have none.
 */
export async function lockSent(tx: Queryable, owner: CodeOwner, now: Date): Promise<Sent> {
  const [phone] = await tx.query<{ sentAt: Date[] }>(
    `insert into login_phones as p (audience, phone_index, sent_at, last_sent_at) values ($1, $2, '{}', $3)
     on conflict (audience, phone_index) do update set audience = p.audience
     returning sent_at as "sentAt"`,
    [owner.audience, owner.phoneIndex, now],
  )
  const [address] = await tx.query<{ sentAt: Date[] }>(
    `insert into login_codes as c (audience, phone_index, address_index, code_hash, tries_left, expires_at, sent_at)
     values ($1, $2, $3, null, 0, $4, '{}')
     on conflict (audience, phone_index, address_index) do update set audience = c.audience
     returning sent_at as "sentAt"`,
    [owner.audience, owner.phoneIndex, owner.addressIndex, now],
  )
  return { here: address?.sentAt ?? [], anywhere: phone?.sentAt ?? [] }
}

/** Puts a new code in the place of the old one. */
export async function replaceCode(
  tx: Queryable,
  owner: CodeOwner,
  code: StoredCode,
  sent: Sent,
): Promise<void> {
  await tx.query(
    `update login_codes set code_hash = $4, tries_left = $5, expires_at = $6, sent_at = $7
     where audience = $1 and phone_index = $2 and address_index = $3`,
    [
      owner.audience,
      owner.phoneIndex,
      owner.addressIndex,
      code.hash,
      code.triesLeft,
      code.expiresAt,
      sent.here,
    ],
  )
  await tx.query(
    `update login_phones set sent_at = $3, last_sent_at = $4 where audience = $1 and phone_index = $2`,
    [owner.audience, owner.phoneIndex, sent.anywhere, sent.anywhere.at(-1)],
  )
}

/** Uses up one try, and only then tells the hash: guesses side by side share what is left. null: no code to try. */
export async function takeTry(db: Queryable, owner: CodeOwner, now: Date): Promise<Buffer | null> {
  const [row] = await db.query<{ hash: Buffer }>(
    `update login_codes set tries_left = tries_left - 1
     where audience = $1 and phone_index = $2 and address_index = $3
       and code_hash is not null and tries_left > 0 and expires_at > $4
     returning code_hash as hash`,
    [owner.audience, owner.phoneIndex, owner.addressIndex, now],
  )
  return row?.hash ?? null
}

/**
 * Takes the brakes off a phone that somebody logged in with, at every address, but for the last sending of each: the
 * pause after it stays.
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

/** Ends a code that was right; false when another call was first. */
export async function consumeCode(tx: Queryable, owner: CodeOwner, hash: Buffer): Promise<boolean> {
  const rows = await tx.query(
    `update login_codes set code_hash = null, tries_left = 0
     where audience = $1 and phone_index = $2 and address_index = $3 and code_hash = $4 returning audience`,
    [owner.audience, owner.phoneIndex, owner.addressIndex, hash],
  )
  return rows.length === 1
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
