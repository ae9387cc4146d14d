import type { KycStatus } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { decryptPersonal } from '../../../domains/parties/owners/personal-data.ts'
import { behaviourOf, type PayoutBehaviour } from '../../../domains/sandbox/providers/bank-accounts.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { TEST_VAULT } from '../../network.ts'
import { PAYABLE_ACCOUNTS, REFUSED_ACCOUNTS } from '../people.ts'

interface OwnerRow {
  readonly id: Uuid
  readonly kycStatus: KycStatus
  readonly bankAccount: Buffer | null
}

/** Owners whose account the bank confirms are verified, the others have failed, and none is pending. */
export async function checkOwners(db: Queryable): Promise<string[]> {
  const owners = await db.query<OwnerRow>(
    `select id, kyc_status as "kycStatus", bank_account as "bankAccount" from owners`,
    [],
  )
  return owners.flatMap(({ id, kycStatus, bankAccount }) => {
    const account = bankAccount === null ? null : decryptPersonal(TEST_VAULT, id, 'bank_account', bankAccount)
    const right = statusOf(account)
    return kycStatus === right ? [] : [`owner ${id} is ${kycStatus} instead of ${right}`]
  })
}

function statusOf(account: string | null): KycStatus | 'not submitted' {
  if (account === null) return 'none'
  if (PAYABLE_ACCOUNTS.some(known => known === account)) return 'verified'
  return REFUSED_ACCOUNTS.some(known => known === account) ? 'failed' : 'not submitted'
}

interface WalletRow {
  readonly agentId: Uuid
  readonly ownerId: Uuid
  readonly balancePaise: bigint
  readonly bankAccount: Buffer
}

/** The smallest payout. */
const LEAST_PAISE = 100n

/** Settlement runs have emptied the wallets of owners whose bank accepts payouts. */
export async function checkSettled(db: Queryable): Promise<string[]> {
  const wallets = await db.query<WalletRow>(
    `select a.id as "agentId", o.id as "ownerId", w.balance_paise as "balancePaise", o.bank_account as "bankAccount"
     from owners o join agents a on a.owner_id = o.id join accounts w on w.id = a.id
     where o.kyc_status = 'verified' and w.balance_paise >= $1`,
    [LEAST_PAISE],
  )
  return wallets.flatMap(({ agentId, ownerId, balancePaise, bankAccount }) => {
    const { payout } = behaviourOf(decryptPersonal(TEST_VAULT, ownerId, 'bank_account', bankAccount))
    return NEVER_PAID.includes(payout) ? [] : [`${formatId('agt', agentId)} still has ${balancePaise}`]
  })
}

const NEVER_PAID: readonly PayoutBehaviour[] = ['failed', 'failed_later', 'refused', 'reversed']
