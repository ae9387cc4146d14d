import type { Owner as OwnerRecord } from '@batua/contract'
import { formatId } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { maskPan } from './normalise.ts'
import { openPersonal } from './personal-data.ts'
import type { Owner } from './store.ts'

export function ownerRecord(vault: Vault, owner: Owner): OwnerRecord {
  return {
    owner_id: formatId('own', owner.id),
    name: owner.name,
    phone: openPersonal(vault, 'phone', owner.phone),
    email: owner.email === null ? null : openPersonal(vault, 'email', owner.email),
    pan: maskPan(openPersonal(vault, 'pan', owner.pan)),
    kyc_status: owner.kycStatus,
    reason: owner.kycReason,
    tier: owner.tier,
    status: owner.status,
    bank_account_last4: owner.bankAccountLast4,
    bank_ifsc: owner.bankIfsc,
    created_at: owner.createdAt.toISOString(),
  }
}
