import type { Queryable } from '../../../db/database.ts'
import type { CodeOwner, PhoneLogin } from './code-owner.ts'

/** More moments than this are not kept of one phone: what counts is whether the hour's limit is passed. */
const MOMENTS_KEPT = 200

/**
 * Counts a try from a place that is not known, and answers how many there were since a moment, this one included. It
 * is counted before the code is looked at, so tries side by side count each other.
 */
export async function countStrangersTry(
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

/** Counts a wrong try of a stranger, whosever the phone. */
export async function addWrongTry(db: Queryable, minute: Date): Promise<void> {
  await db.query(
    `insert into login_wrong_tries (minute, tries) values ($1, 1)
     on conflict (minute) do update set tries = login_wrong_tries.tries + 1`,
    [minute],
  )
}

/** Wrong tries of strangers since a moment, over all phones. */
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

/** Notes at a place that a code was right there, until when a second one is enough. */
export async function noteFirstCode(tx: Queryable, owner: CodeOwner, until: Date): Promise<void> {
  await tx.query(
    `update login_codes set second_until = $4, sent_at = sent_at[:cardinality(sent_at) - 1]
     where audience = $1 and phone_index = $2 and address_index = $3`,
    [owner.audience, owner.phoneIndex, owner.addressIndex, until],
  )
}

/**
 * Uses up the step of a TOTP secret; false when it was used before. Earlier steps end with it, so that one code is good
 * once on all nodes, whatever the order in which two arrive.
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
