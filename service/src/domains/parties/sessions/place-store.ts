import type { Queryable } from '../../../db/database.ts'
import type { PhoneLogin } from './phone-login.ts'

/** Those of these places from which the phone has logged in before. */
export async function selectKnownPlaces(
  db: Queryable,
  { audience, phoneIndex }: PhoneLogin,
  places: readonly Buffer[],
): Promise<Buffer[]> {
  const rows = await db.query<{ place: Buffer }>(
    `select place from login_places where audience = $1 and phone_index = $2 and place = any($3::bytea[])`,
    [audience, phoneIndex, places],
  )
  return rows.map(({ place }) => place)
}

/** Stores the places of a login, and deletes all but the phone's latest places. */
export async function rememberPlaces(
  tx: Queryable,
  { audience, phoneIndex }: PhoneLogin,
  places: readonly Buffer[],
  { now, atMost }: { readonly now: Date; readonly atMost: number },
): Promise<void> {
  await tx.query(
    `insert into login_places (audience, phone_index, place, used_at)
     select $1, $2, place, $4 from unnest($3::bytea[]) place
     on conflict (audience, phone_index, place) do update set used_at = excluded.used_at`,
    [audience, phoneIndex, places, now],
  )
  await tx.query(
    `delete from login_places where audience = $1 and phone_index = $2 and place in (
       select place from login_places where audience = $1 and phone_index = $2
       order by used_at desc, place offset $3)`,
    [audience, phoneIndex, atMost],
  )
}

/** Deletes a bounded batch of places without a login since a moment. Returns the number deleted. */
export async function deletePlacesBefore(db: Queryable, moment: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from login_places where (audience, phone_index, place) in (
       select audience, phone_index, place from login_places
       where used_at <= $1 order by used_at limit $2 for update skip locked)
     returning audience`,
    [moment, limit],
  )
  return rows.length
}
