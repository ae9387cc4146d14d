import type { OwnerAccount } from '@batua/contract'
import { formatId } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { type Owner, ownerRecord } from '../parties/index.ts'

/** An owner as administrators see it. */
export function ownerAccount(vault: Vault, owner: Owner): OwnerAccount {
  return { ...ownerRecord(vault, owner), platform_id: formatId('plt', owner.platformId) }
}
