import type { Queryable } from '../../../db/database.ts'
import { errorOf } from '../../../kernel/app-error.ts'
import { istDay, startOfIstDay } from '../../../kernel/clock.ts'
import { rateLimitExceeded } from '../../../kernel/rate-limit-exceeded.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { countOfDay, lockCountOfDay, readCountOfDay } from './daily-counts.ts'
import { isAmongFirstInvited } from './invitation-store.ts'
import { decryptPersonal, personalIndex } from './personal-data.ts'
import type { Owner } from './store.ts'

/*
 * The phone gets a message about each change of a verified bank account. Anyone can sign up a platform and name a
 * phone, so an owner that its holder has not accepted is changed only as often as the phone may get messages. No
 * platform uses up the messages of another: each owner has a limit of its own, and the first owners that named the
 * phone share none.
 */

/** Changes a day of one owner. */
const CHANGES_A_DAY = 3
/** This many owners of a phone share no limit; all that were invited after them share one. */
const FIRST_INVITED = 5
const LATER_INVITED_CHANGES_A_DAY = 5

/** Refuses a change of an owner's bank account if its phone may get no more messages about changes today. */
export async function requireMessageLeft(
  tx: Queryable,
  vault: Vault,
  owner: Owner,
  now: Date,
): Promise<void> {
  for (const { subject, limit } of await limitsOf(tx, vault, owner)) {
    if ((await readCountOfDay(tx, subject, istDay(now))) < limit) continue
    const what = `The phone was notified of ${limit} changed bank accounts today, and its holder has not accepted this owner`
    const waitMs = startOfIstDay(istDay(now) + 1).getTime() - now.getTime()
    throw errorOf(rateLimitExceeded(what, limit, waitMs))
  }
}

/**
 * Counts a change that the phone is notified of; false if others that were submitted at once have used the limit up.
 */
export async function claimMessage(tx: Queryable, vault: Vault, owner: Owner, now: Date): Promise<boolean> {
  const limits = await limitsOf(tx, vault, owner)
  for (const { subject, limit } of limits) {
    if ((await lockCountOfDay(tx, subject, istDay(now))) >= limit) return false
  }
  for (const { subject } of limits) await countOfDay(tx, subject, istDay(now))
  return true
}

async function limitsOf(
  tx: Queryable,
  vault: Vault,
  { id, linkStatus, phone }: Owner,
): Promise<{ readonly subject: string; readonly limit: number }[]> {
  if (linkStatus === 'accepted') return []
  const own = { subject: `changed bank accounts of ${id}`, limit: CHANGES_A_DAY }
  const phoneIndex = personalIndex(vault, 'phone', decryptPersonal(vault, id, 'phone', phone))
  if (await isAmongFirstInvited(tx, { id, phoneIndex }, FIRST_INVITED)) return [own]
  const subject = `changed bank accounts of those invited later to ${phoneIndex.toString('hex')}`
  return [own, { subject, limit: LATER_INVITED_CHANGES_A_DAY }]
}
