import type { Owner as OwnerRecord } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { OwnersContext } from './context.ts'
import { maskPan } from './normalise.ts'
import { decryptPersonal } from './personal-data.ts'
import { type Owner, selectOwnersByIds } from './store.ts'

export function ownerRecord(vault: Vault, owner: Owner): OwnerRecord {
  return {
    owner_id: formatId('own', owner.id),
    name: owner.name,
    phone: decryptPersonal(vault, owner.id, 'phone', owner.phone),
    email: owner.email === null ? null : decryptPersonal(vault, owner.id, 'email', owner.email),
    pan: maskPan(decryptPersonal(vault, owner.id, 'pan', owner.pan)),
    kyc_status: owner.kycStatus,
    reason: owner.kycReason,
    tier: owner.tier,
    status: owner.status,
    link_status: owner.linkStatus,
    bank_account_last4: owner.bankAccountLast4,
    bank_ifsc: owner.bankIfsc,
    pending_bank_account: pendingBankAccount(owner),
    created_at: owner.createdAt.toISOString(),
  }
}

function pendingBankAccount(owner: Owner): OwnerRecord['pending_bank_account'] {
  const { pendingBankAccountLast4: last4, pendingBankIfsc: ifsc, pendingBankEffectiveAt: effectiveAt } = owner
  if (last4 === null || ifsc === null || effectiveAt === null) return null
  return { last4, ifsc, effective_at: effectiveAt.toISOString() }
}

/** The records of the session's owners, oldest first. */
export async function listOwnerRecords(
  { database, vault }: Pick<OwnersContext, 'database' | 'vault'>,
  ids: readonly Uuid[],
): Promise<OwnerRecord[]> {
  const owners = await selectOwnersByIds(database, ids)
  return owners.map(owner => ownerRecord(vault, owner))
}
