import { isDeepStrictEqual } from 'node:util'
import type { Queryable } from '../../../db/database.ts'
import type { BankCheckResult } from '../../../gateways/bank-verifier.ts'
import { formatId } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { recordFacts } from '../../../operations/facts.ts'
import { queueTextMessage } from '../text-message-store.ts'
import { claimMessage } from './account-change-messages.ts'
import { accountChange, applyDueAccount, type KnownAccount } from './bank-account.ts'
import { deleteCheck, isOpenCheck, type KycCheck, postponeCheck } from './check-store.ts'
import type { OwnersContext } from './context.ts'
import { type BankAccount, decideKyc, isFinal, pauseMs } from './decide.ts'
import { accountAppliedFacts, BANK_VERIFICATION, bankResultFact } from './facts.ts'
import { decryptPersonal } from './personal-data.ts'
import { lockOwner, type Owner, updateKyc } from './store.ts'

/**
 * Applies the bank's result for a submission: owner, agents and event in one commit. null if the submission is not
 * open: a newer one replaced it, or another node applied a result first. While the owner is frozen, results are
 * ignored; the bank is asked again once the owner is unfrozen. A change of account about which its phone may not get a
 * message today waits in the same way.
 */
export function applyBankResult(
  { database, clock, vault, logger, raiseAgentsToTier1, limitIncreaseCooldownS }: OwnersContext,
  check: KycCheck,
  reported: BankCheckResult,
): Promise<Owner | null> {
  return database.inTransaction(async tx => {
    const stored = await lockOwner(tx, vault, check.ownerId)
    if (stored === null || !(await isOpenCheck(tx, vault, check))) return null
    const now = clock.now()
    const before = applyDueAccount(stored, now)
    const submission = { account: check.account, known: knownAccount(vault, before, check.account) }
    const cooldown = { now, cooldownMs: limitIncreaseCooldownS * 1_000 }
    const after = (result: BankCheckResult): Owner => ({
      ...before,
      ...decideKyc(before, submission, result, cooldown),
    })
    const counts =
      !isFinal(reported) ||
      (before.status === 'active' && (await mayChange(tx, vault, now, before, after(reported))))
    const result = counts ? reported : UNDECIDED
    if (isFinal(result)) await deleteCheck(tx, before.id)
    else {
      const nextCheckAt = new Date(now.getTime() + pauseMs(check.attempts))
      const reference = counts ? referenceOf(check, reported) : check.reference
      await postponeCheck(tx, vault, check, reference, nextCheckAt)
    }
    const owner = after(result)
    const versions = await updateKyc(tx, vault, owner.id, owner)
    const change = accountChange(before, owner, now)
    const facts = [...accountAppliedFacts(stored, before)]
    // While a bank does not decide, most checks change nothing.
    if (isFinal(result) || !isDeepStrictEqual(before, owner)) {
      const action = isFinal(result) ? 'owner.kyc_decided' : 'owner.kyc_pending'
      facts.push(bankResultFact(action, before, owner, check.account, change?.effectiveAt ?? null))
    }
    await recordFacts(tx, vault, now, facts, versions)
    if (change !== null) await notifyOfChange(tx, vault, now, owner, change)
    if (owner.tier !== before.tier) {
      await raiseAgentsToTier1(tx, owner.id, { actor: BANK_VERIFICATION, vault, now })
    }
    if (owner.kycStatus !== before.kycStatus || owner.kycReason !== before.kycReason) {
      const { kycStatus: status, kycReason: reason } = owner
      logger.info({ owner_id: formatId('own', owner.id), kyc_status: status, reason }, 'kyc status updated')
    }
    return owner
  })
}

/** Whether this changes no account, or one that the phone may get a message about today. */
async function mayChange(
  tx: Queryable,
  vault: Vault,
  now: Date,
  before: Owner,
  after: Owner,
): Promise<boolean> {
  return accountChange(before, after, now) === null || claimMessage(tx, vault, after, now)
}

/** Replaces a final result while the owner is frozen, or while its phone may not get a message about the change. */
const UNDECIDED: BankCheckResult = { kind: 'pending', reference: '' }

/**
 * Which of the owner's accounts this is. Two ciphertexts of one account differ, so the decrypted numbers are compared.
 */
export function knownAccount(vault: Vault, owner: Owner, { encrypted, ifsc }: BankAccount): KnownAccount {
  const number = decryptPersonal(vault, owner.id, 'bank_account', encrypted)
  const isIt = (other: Buffer | null, otherIfsc: string | null) =>
    other !== null && otherIfsc === ifsc && decryptPersonal(vault, owner.id, 'bank_account', other) === number
  if (isIt(owner.bankAccount, owner.bankIfsc)) return 'in force'
  return isIt(owner.pendingBankAccount, owner.pendingBankIfsc) ? 'pending' : null
}

/** Notifies the owner by text message, because the account may have been changed without consent. */
async function notifyOfChange(
  tx: Queryable,
  vault: Vault,
  now: Date,
  owner: Owner,
  { last4, effectiveAt }: { readonly last4: string; readonly effectiveAt: Date },
): Promise<void> {
  const phone = decryptPersonal(vault, owner.id, 'phone', owner.phone)
  await queueTextMessage(tx, vault, now, { kind: 'bank_account_changed', phone, last4, effectiveAt })
}

/** Keeps the reference if the bank is unavailable, because its check continues. */
function referenceOf(check: KycCheck, result: BankCheckResult): string | null {
  return result.kind === 'pending' ? result.reference : check.reference
}
