import type { Queryable } from '../../../db/database.ts'
import {
  type CoveredTable,
  isGenuine,
  lockGenuine,
  type MacRow,
  macColumns,
  type RowVersion,
  writeMacs,
} from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { BankAccount } from './decide.ts'

/** Submissions: bank accounts that wait for the bank's decision. */
export const KYC_CHECK_ROWS: CoveredTable = {
  table: 'kyc_checks',
  id: 'id',
  columns: ['owner_id', 'bank_account', 'bank_account_last4', 'bank_ifsc', 'reference'],
  uncovered: {
    attempts: 'says how soon the bank is asked again',
    next_check_at: 'says when the bank is asked again',
  },
}

/** A submission that the bank has not decided. */
export interface KycCheck {
  readonly ownerId: Uuid
  /** The id of the submission; the owner's next submission has another. */
  readonly id: Uuid
  readonly account: BankAccount
  /** The bank's reference of the check; null: the next check starts a new one. */
  readonly reference: string | null
  /** How often the bank was asked after the first time. */
  readonly attempts: number
}

interface CheckRow extends Omit<KycCheck, 'account'>, BankAccount {}

/** Replaces an open submission of the owner. The caller holds the lock of the owner's row. */
export async function replaceCheck(
  tx: Queryable,
  vault: Vault,
  check: KycCheck,
  nextCheckAt: Date,
): Promise<RowVersion[]> {
  await tx.query(
    `insert into kyc_checks (owner_id, id, bank_account, bank_account_last4, bank_ifsc, next_check_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (owner_id) do update set id = excluded.id, bank_account = excluded.bank_account,
       bank_account_last4 = excluded.bank_account_last4, bank_ifsc = excluded.bank_ifsc, reference = null,
       attempts = 0, next_check_at = excluded.next_check_at`,
    [check.ownerId, check.id, check.account.encrypted, check.account.last4, check.account.ifsc, nextCheckAt],
  )
  return writeMacs(tx, vault, KYC_CHECK_ROWS, [check.id])
}

/** Whether this submission is still open and the owner's latest. The caller holds the lock of the owner's row. */
export async function isOpenCheck(tx: Queryable, vault: Vault, { ownerId, id }: KycCheck): Promise<boolean> {
  await lockGenuine(tx, vault, KYC_CHECK_ROWS, [id])
  const rows = await tx.query(`select id from kyc_checks where owner_id = $1 and id = $2`, [ownerId, id])
  return rows.length === 1
}

/** Returns whether the owner had an open submission. */
export async function deleteCheck(tx: Queryable, ownerId: Uuid): Promise<boolean> {
  const rows = await tx.query(`delete from kyc_checks where owner_id = $1 returning id`, [ownerId])
  return rows.length > 0
}

export async function postponeCheck(
  tx: Queryable,
  vault: Vault,
  { ownerId, id }: Pick<KycCheck, 'ownerId' | 'id'>,
  reference: string | null,
  nextCheckAt: Date,
): Promise<void> {
  await tx.query(`update kyc_checks set reference = $2, next_check_at = $3 where owner_id = $1`, [
    ownerId,
    reference,
    nextCheckAt,
  ])
  await writeMacs(tx, vault, KYC_CHECK_ROWS, [id])
}

/**
 * Claims due checks with a lease: if the process crashes, another one claims them when the lease ends. Checks of frozen
 * owners wait until their owners are unfrozen.
 */
export async function claimDueChecks(
  db: Queryable,
  vault: Vault,
  now: Date,
  leaseUntil: Date,
  limit: number,
): Promise<KycCheck[]> {
  const rows = await db.query<CheckRow & MacRow>(
    `update kyc_checks c set attempts = c.attempts + 1, next_check_at = $2
     from (select k.owner_id, k.id from kyc_checks k join owners o on o.id = k.owner_id
           where k.next_check_at <= $1 and o.status = 'active' order by k.next_check_at limit $3
           for update of k skip locked) due
     where c.owner_id = due.owner_id and c.id = due.id
     returning c.owner_id as "ownerId", c.id, c.bank_account as encrypted, c.bank_account_last4 as last4,
       c.bank_ifsc as ifsc, c.reference, c.attempts, ${macColumns(KYC_CHECK_ROWS, 'c')}`,
    [now, leaseUntil, limit],
  )
  return rows
    .filter(row => isGenuine(vault, KYC_CHECK_ROWS, row.id, row))
    .map(({ ownerId, id, encrypted, last4, ifsc, reference, attempts }) => ({
      ownerId,
      id,
      account: { encrypted, last4, ifsc },
      reference,
      attempts,
    }))
}
