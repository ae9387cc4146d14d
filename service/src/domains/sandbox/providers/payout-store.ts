import type { Queryable } from '../../../db/database.ts'
import type { PayoutBehaviour } from './bank-accounts.ts'
import type { SandboxPayout } from './payout-state.ts'

export interface SandboxBeneficiary {
  readonly beneficiaryId: string
  readonly accountDigest: Buffer
  readonly behaviour: PayoutBehaviour
}

/** Returns false when the id or the account exists already. */
export async function insertBeneficiary(db: Queryable, beneficiary: SandboxBeneficiary): Promise<boolean> {
  const rows = await db.query(
    `insert into sandbox_beneficiaries (beneficiary_id, account_digest, behaviour) values ($1, $2, $3)
     on conflict do nothing returning beneficiary_id`,
    [beneficiary.beneficiaryId, beneficiary.accountDigest, beneficiary.behaviour],
  )
  return rows.length === 1
}

export async function selectIdOfAccount(db: Queryable, accountDigest: Buffer): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    `select beneficiary_id as id from sandbox_beneficiaries where account_digest = $1`,
    [accountDigest],
  )
  return row?.id ?? null
}

export async function selectBehaviour(db: Queryable, beneficiaryId: string): Promise<PayoutBehaviour | null> {
  const [row] = await db.query<{ behaviour: PayoutBehaviour }>(
    `select behaviour from sandbox_beneficiaries where beneficiary_id = $1`,
    [beneficiaryId],
  )
  return row?.behaviour ?? null
}

const PAYOUT = `transfer_id as "transferId", provider_payout_id as "providerPayoutId",
  amount_paise as "amountPaise", behaviour, accepted_at as "acceptedAt", asked`

/** Returns false when a payout of that id exists already. */
export async function insertPayout(tx: Queryable, payout: SandboxPayout): Promise<boolean> {
  const rows = await tx.query(
    `insert into sandbox_payouts (transfer_id, provider_payout_id, amount_paise, behaviour, accepted_at)
     values ($1, $2, $3, $4, $5) on conflict do nothing returning transfer_id`,
    [payout.transferId, payout.providerPayoutId, payout.amountPaise, payout.behaviour, payout.acceptedAt],
  )
  return rows.length === 1
}

export async function lockPayout(tx: Queryable, transferId: string): Promise<SandboxPayout | null> {
  const [row] = await tx.query<SandboxPayout>(
    `select ${PAYOUT} from sandbox_payouts where transfer_id = $1 for update`,
    [transferId],
  )
  return row ?? null
}

export async function acceptPayout(tx: Queryable, transferId: string, now: Date): Promise<void> {
  await tx.query(`update sandbox_payouts set accepted_at = $2 where transfer_id = $1`, [transferId, now])
}

/** Counts the query; null when there is no such payout, or it was not accepted. */
export async function countQuery(db: Queryable, transferId: string): Promise<SandboxPayout | null> {
  const [row] = await db.query<SandboxPayout>(
    `update sandbox_payouts set asked = asked + 1 where transfer_id = $1 and accepted_at is not null
     returning ${PAYOUT}`,
    [transferId],
  )
  return row ?? null
}
