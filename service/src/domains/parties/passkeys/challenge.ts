import { createHash, hash, randomBytes } from 'node:crypto'
import { CHALLENGE_VALID_S } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { sameHash, type Vault } from '../../../kernel/secrets.ts'

/*
 * Challenges are not stored: the id of one holds its salt and its expiry, with a MAC over both and over what the challenge
 * is for. So a stranger who asks for challenges fills no table. Only a used one is stored, until it expires.
 */

const SALT_BYTES = 32
const TIME_BYTES = 6
const MAC_BYTES = 16

export interface Challenge {
  /** base64url. */
  readonly id: string
  readonly salt: Buffer
  readonly expiresAt: Date
}

/** What a challenge is for. It may contain the expiry. */
export type BoundTo = (expiresAt: Date) => string

export function newChallenge(vault: Vault, boundTo: BoundTo, now: Date): Challenge {
  const expiresAt = new Date(now.getTime() + CHALLENGE_VALID_S * 1_000)
  const salt = randomBytes(SALT_BYTES)
  const time = Buffer.alloc(TIME_BYTES)
  time.writeUIntBE(expiresAt.getTime(), 0, TIME_BYTES)
  const mac = macOf(vault, boundTo, { salt, expiresAt })
  return { id: Buffer.concat([salt, time, mac]).toString('base64url'), salt, expiresAt }
}

/** The challenge with this id, if it was made for this and has not expired; null otherwise. */
export function openChallenge(vault: Vault, id: string, boundTo: BoundTo, now: Date): Challenge | null {
  const bytes = Buffer.from(id, 'base64url')
  if (bytes.length !== SALT_BYTES + TIME_BYTES + MAC_BYTES) return null
  const salt = bytes.subarray(0, SALT_BYTES)
  const expiresAt = new Date(bytes.readUIntBE(SALT_BYTES, TIME_BYTES))
  const mac = bytes.subarray(SALT_BYTES + TIME_BYTES)
  if (expiresAt <= now || !sameHash(macOf(vault, boundTo, { salt, expiresAt }), mac)) return null
  return { id, salt, expiresAt }
}

function macOf(
  vault: Vault,
  boundTo: BoundTo,
  { salt, expiresAt }: Pick<Challenge, 'salt' | 'expiresAt'>,
): Buffer {
  return vault.mac(
    JSON.stringify([
      'passkey challenge',
      salt.toString('hex'),
      expiresAt.toISOString(),
      hash('sha256', boundTo(expiresAt), 'hex'),
    ]),
  )
}

/** What the passkey signs for a document (contract section 12): SHA-256 of the document, a zero byte and the salt. */
export function documentChallenge(document: string, salt: Buffer): string {
  return createHash('sha256').update(document).update('\0').update(salt).digest('base64url')
}

/** Uses a challenge up; false if it was used already. */
export async function useChallenge(tx: Queryable, { salt, expiresAt }: Challenge): Promise<boolean> {
  const rows = await tx.query(
    `insert into used_challenges (salt, expires_at) values ($1, $2) on conflict do nothing returning salt`,
    [salt, expiresAt],
  )
  return rows.length === 1
}

/** Deletes a bounded batch of used challenges that have expired. Returns the number deleted. */
export async function deleteUsedChallenges(db: Queryable, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from used_challenges where salt in (
       select salt from used_challenges where expires_at <= $1 order by expires_at limit $2 for update skip locked)
     returning salt`,
    [now, limit],
  )
  return rows.length
}
