import { raise } from '../../kernel/app-error.ts'
import { ownerNotFound } from './access.ts'
import type { OwnersContext } from './context.ts'
import { decideKyc } from './decide.ts'
import { openPersonal, sealPersonal } from './personal-data.ts'
import { lockOwner, type Owner, updateKyc } from './store.ts'

/** Has the bank confirm the owner's account. The bank is asked before the transaction, never inside it. */
export async function submitKyc(
  { database, vault, bankVerifier, raiseAgentsToTier1 }: OwnersContext,
  asked: Owner,
  request: { readonly bank_account: string; readonly bank_ifsc: string },
): Promise<Owner> {
  const ifsc = request.bank_ifsc.toUpperCase()
  const verdict = await bankVerifier.verifyAccount({
    bankAccount: request.bank_account,
    ifsc,
    name: asked.name,
    phone: openPersonal(vault, 'phone', asked.phone),
  })
  const account = {
    sealed: sealPersonal(vault, 'bank_account', request.bank_account),
    last4: request.bank_account.slice(-4),
    ifsc,
  }
  return database.inTransaction(async tx => {
    const owner = await lockOwner(tx, asked.id)
    if (owner === null) throw ownerNotFound()
    const decided = decideKyc(owner, account, verdict)
    if (decided.kind === 'refusal') raise(decided)
    await updateKyc(tx, owner.id, decided)
    if (decided.tier !== owner.tier) await raiseAgentsToTier1(tx, owner.id)
    return { ...owner, ...decided }
  })
}
