import type { Queryable } from '../../../db/database.ts'
import {
  type CoveredTable,
  lockGenuine,
  type MacRow,
  macColumns,
  type RowVersion,
  requireGenuine,
  writeMacs,
} from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { leasedRows } from '../../../operations/due-work.ts'
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

/** Longer than the timeout of a bank check: until then no job checks the same submission. */
export const ASKING_MS = 45_000

/** Submissions to ask the bank about. Those of frozen owners wait until their owners are unfrozen. */
export const dueChecks = leasedRows<CheckRow & MacRow, KycCheck>({
  table: KYC_CHECK_ROWS.table,
  key: ['owner_id', 'id'],
  due: 'next_check_at',
  lease: `interval '${ASKING_MS} milliseconds'`,
  counting: 'attempts = r.attempts + 1',
  only: `exists (select 1 from owners o where o.id = r.owner_id and o.status = 'active')`,
  atOnce: 20,
  selected: `r.owner_id as "ownerId", r.id, r.bank_account as encrypted, r.bank_account_last4 as last4,
    r.bank_ifsc as ifsc, r.reference, r.attempts, ${macColumns(KYC_CHECK_ROWS, 'r')}`,
  proven(vault, row) {
    requireGenuine(vault, KYC_CHECK_ROWS, row.id, row)
    const { ownerId, id, encrypted, last4, ifsc, reference, attempts } = row
    return { ownerId, id, account: { encrypted, last4, ifsc }, reference, attempts }
  },
})
