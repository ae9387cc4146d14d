import type { Uuid } from '../../kernel/ids.ts'
import type { Source } from '../../ledger/index.ts'

/** Where the money of an agent's owner may go. Account and phone are sealed (see personal-data.ts). */
export interface VerifiedBankAccount {
  readonly ownerId: Uuid
  readonly bankAccount: Buffer
  readonly last4: string
  readonly ifsc: string
  readonly name: string
  readonly phone: Buffer
}

/** The verified bank accounts of agents' owners, by the agent's id. An owner without one has no entry. */
export const verifiedBankAccounts: Source<VerifiedBankAccount> = {
  name: 'verified bank accounts',
  async load(tx, agentIds) {
    const rows = await tx.query<VerifiedBankAccount & { readonly agentId: Uuid }>(
      `select a.id as "agentId", o.id as "ownerId", o.bank_account as "bankAccount",
         o.bank_account_last4 as last4, o.bank_ifsc as ifsc, o.name, o.phone
       from agents a join owners o on o.id = a.owner_id
       where a.id = any($1::uuid[]) and o.kyc_status = 'verified' and o.bank_account is not null`,
      [agentIds],
    )
    return new Map(rows.map(({ agentId, ...account }) => [agentId, account]))
  },
}
