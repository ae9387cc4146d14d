import type { Queryable } from '../../../db/database.ts'
import type { BankCheckResult } from '../../../gateways/bank-verifier.ts'
import { istDay } from '../../../kernel/clock.ts'
import { formatId } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { recordFacts } from '../../../operations/record.ts'
import { recordEvents } from '../../../operations/record-events.ts'
import { queueTextMessage } from '../messages/queue.ts'
import { accountAppliedActs, BANK_VERIFICATION, decidedAct } from './acts.ts'
import { accountChange, applyDueAccount, type KnownAccount } from './bank-account.ts'
import { deleteCheck, isOpenCheck, type KycCheck, postponeCheck } from './check-store.ts'
import type { OwnersContext } from './context.ts'
import { countOfDay } from './daily-counts.ts'
import { type BankAccount, decideKyc, isFinal, pauseMs } from './decide.ts'
import { decryptPersonal, personalIndex } from './personal-data.ts'
import { lockOwner, type Owner, updateKyc } from './store.ts'

/**
 * Applies the bank's result for a submission: owner, agents and event in one commit. null if the submission is not
 * open: a newer one replaced it, or another node applied a result first. While the owner is frozen, results are
 * ignored; the bank is asked again once the owner is unfrozen.
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
    const counts = before.status === 'active' || !isFinal(reported)
    const result = counts ? reported : UNDECIDED
    if (isFinal(result)) await deleteCheck(tx, before.id)
    else {
      const nextCheckAt = new Date(now.getTime() + pauseMs(check.attempts))
      const reference = counts ? referenceOf(check, reported) : check.reference
      await postponeCheck(tx, vault, check, reference, nextCheckAt)
    }
    const submission = { account: check.account, known: knownAccount(vault, before, check.account) }
    const cooldown = { now, cooldownMs: limitIncreaseCooldownS * 1_000 }
    const owner = { ...before, ...decideKyc(before, submission, result, cooldown) }
    const versions = await updateKyc(tx, vault, owner.id, owner)
    const change = accountChange(before, owner, now)
    const acts = [...accountAppliedActs(stored, before)]
    if (isFinal(result)) acts.push(decidedAct(before, owner, check.account, change?.effectiveAt ?? null))
    await recordFacts(tx, vault, now, acts, versions)
    if (change !== null) await notifyOfChange(tx, vault, now, owner, change)
    if (owner.tier !== before.tier) {
      await raiseAgentsToTier1(tx, owner.id, { actor: BANK_VERIFICATION, vault, now })
    }
    if (owner.kycStatus !== before.kycStatus || owner.kycReason !== before.kycReason) {
      await recordEvents(tx, vault, now, [updated(owner)])
      const { kycStatus: status, kycReason: reason } = owner
      logger.info({ owner_id: formatId('own', owner.id), kyc_status: status, reason }, 'kyc status updated')
    }
    return owner
  })
}

/** Replaces a final result while the owner is frozen. */
const UNDECIDED: BankCheckResult = { kind: 'pending', reference: '' }

/** Two ciphertexts of one account differ, so the decrypted numbers are compared. */
function knownAccount(vault: Vault, owner: Owner, { encrypted, ifsc }: BankAccount): KnownAccount {
  const number = decryptPersonal(vault, owner.id, 'bank_account', encrypted)
  const isIt = (other: Buffer | null, otherIfsc: string | null) =>
    other !== null && otherIfsc === ifsc && decryptPersonal(vault, owner.id, 'bank_account', other) === number
  if (isIt(owner.bankAccount, owner.bankIfsc)) return 'in force'
  return isIt(owner.pendingBankAccount, owner.pendingBankIfsc) ? 'pending' : null
}

/** Anyone can sign up a platform and name a phone, so owners that the holder has not accepted cause few messages. */
const STRANGERS_MESSAGES_A_DAY = 5

/** Notifies the owner by text message, because the account may have been changed without consent. */
async function notifyOfChange(
  tx: Queryable,
  vault: Vault,
  now: Date,
  owner: Owner,
  { last4, effectiveAt }: { readonly last4: string; readonly effectiveAt: Date },
): Promise<void> {
  const phone = decryptPersonal(vault, owner.id, 'phone', owner.phone)
  if (owner.linkStatus !== 'accepted') {
    const subject = `strangers' messages to ${personalIndex(vault, 'phone', phone).toString('hex')}`
    if ((await countOfDay(tx, subject, istDay(now))) > STRANGERS_MESSAGES_A_DAY) return
  }
  await queueTextMessage(tx, vault, now, { kind: 'bank_account_changed', phone, last4, effectiveAt })
}

/** Keeps the reference if the bank is unavailable, because its check continues. */
function referenceOf(check: KycCheck, result: BankCheckResult): string | null {
  return result.kind === 'pending' ? result.reference : check.reference
}

function updated({ id, kycStatus, tier, kycReason }: Owner) {
  const data = { owner_id: formatId('own', id), kyc_status: kycStatus, tier, reason: kycReason }
  return { name: 'owner.kyc.updated', ownerId: id, data } as const
}
