import type { Queryable } from '../../../db/database.ts'
import type { PhoneLogin, Requester } from './phone-login.ts'

/** The most moments stored for one phone; enough to see whether the hour's limit is exceeded. */
const MOMENTS_KEPT = 200

/**
 * Counts a try from an unknown place. Returns the number since a moment, this one included. It counts before the code
 * is compared, so that concurrent tries are all counted.
 */
export async function countUnknownPlaceTry(
  db: Queryable,
  { audience, phoneIndex }: PhoneLogin,
  now: Date,
  since: Date,
): Promise<number> {
  const [row] = await db.query<{ tries: number }>(
    `update login_phones set tried_at = array(
       select moment from unnest(tried_at || $3::timestamptz) moment
       where moment > $4 order by moment desc limit ${MOMENTS_KEPT})
     where audience = $1 and phone_index = $2
     returning cardinality(tried_at) as tries`,
    [audience, phoneIndex, now, since],
  )
  return row?.tries ?? 1
}

/** Counts a wrong try from an unknown place, for any phone. */
export async function addWrongTry(db: Queryable, minute: Date): Promise<void> {
  await db.query(
    `insert into login_wrong_tries (minute, tries) values ($1, 1)
     on conflict (minute) do update set tries = login_wrong_tries.tries + 1`,
    [minute],
  )
}

/** Wrong tries from unknown places since a moment, over all phones. */
export async function countWrongTries(db: Queryable, since: Date): Promise<number> {
  const [row] = await db.query<{ tries: bigint | null }>(
    `select sum(tries)::int8 as tries from login_wrong_tries where minute > $1`,
    [since],
  )
  return Number(row?.tries ?? 0)
}

export async function deleteWrongTriesBefore(db: Queryable, moment: Date): Promise<number> {
  const rows = await db.query(`delete from login_wrong_tries where minute <= $1 returning minute`, [moment])
  return rows.length
}

/** Stores that codes were right but not enough, and until when they count. The next code can be requested at once. */
export async function noteRightCodes(
  tx: Queryable,
  { audience, phoneIndex, place }: Requester,
  { rightCodes, now, until }: { readonly rightCodes: number; readonly now: Date; readonly until: Date },
): Promise<void> {
  await tx.query(
    `insert into login_codes as c (audience, phone_index, address_index, tries_left, expires_at, sent_at,
       right_codes, second_until)
     values ($1, $2, $3, 0, $4, '{}', $5, $6)
     on conflict (audience, phone_index, address_index) do update
     set right_codes = excluded.right_codes, second_until = excluded.second_until,
       sent_at = c.sent_at[:cardinality(c.sent_at) - 1]`,
    [audience, phoneIndex, place, now, rightCodes, until],
  )
}

/**
 * Uses up a step of a TOTP secret; false if it was used before. Earlier steps become invalid too, so that each code
 * works once on all nodes, in whatever order two requests arrive.
 */
export async function useTotpStep(tx: Queryable, secretIndex: Buffer, step: number): Promise<boolean> {
  const rows = await tx.query(
    `insert into login_totp_steps as s (secret_index, step) values ($1, $2)
     on conflict (secret_index) do update set step = excluded.step where s.step < excluded.step
     returning step`,
    [secretIndex, step],
  )
  return rows.length === 1
}
