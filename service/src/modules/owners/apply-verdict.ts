import type { BankVerdict } from '../../gateways/bank-verifier.ts'
import { formatId } from '../../kernel/ids.ts'
import { recordActs } from '../audit/index.ts'
import { recordEvents } from '../events/index.ts'
import { BANK_VERIFICATION, decidedAct } from './acts.ts'
import { deleteCheck, isOpenCheck, type KycCheck, postponeCheck } from './check-store.ts'
import type { OwnersContext } from './context.ts'
import { decideKyc, isFinal, pauseMs } from './decide.ts'
import { lockOwner, type Owner, updateKyc } from './store.ts'

/**
 * Records what the bank said of a submission: owner, agents and event in one commit. Null when the submission is not
 * open any more: a newer one took its place, or another node was told the verdict first.
 */
export function applyVerdict(
  { database, clock, vault, logger, raiseAgentsToTier1 }: OwnersContext,
  check: KycCheck,
  verdict: BankVerdict,
): Promise<Owner | null> {
  return database.inTransaction(async tx => {
    const before = await lockOwner(tx, check.ownerId)
    if (before === null || !(await isOpenCheck(tx, check))) return null
    const now = clock.now()
    if (isFinal(verdict)) await deleteCheck(tx, before.id)
    else {
      const nextCheckAt = new Date(now.getTime() + pauseMs(check.attempts))
      await postponeCheck(tx, before.id, referenceOf(check, verdict), nextCheckAt)
    }
    const owner = { ...before, ...decideKyc(before, check.account, verdict) }
    await updateKyc(tx, owner.id, owner)
    if (isFinal(verdict)) await recordActs(tx, vault, now, [decidedAct(before, owner, check.account)])
    if (owner.tier !== before.tier) {
      await raiseAgentsToTier1(tx, owner.id, { actor: BANK_VERIFICATION, vault, now })
    }
    if (owner.kycStatus !== before.kycStatus || owner.kycReason !== before.kycReason) {
      await recordEvents(tx, vault, now, [updated(owner)])
      const { kycStatus: status, kycReason: reason } = owner
      logger.info({ owner_id: formatId('own', owner.id), kyc_status: status, reason }, 'kyc: updated')
    }
    return owner
  })
}

/** A bank that is down for a moment has not forgotten what it was looking at. */
function referenceOf(check: KycCheck, verdict: BankVerdict): string | null {
  return verdict.kind === 'pending' ? verdict.reference : check.reference
}

function updated({ id, kycStatus, tier, kycReason }: Owner) {
  const data = { owner_id: formatId('own', id), kyc_status: kycStatus, tier, reason: kycReason }
  return { name: 'owner.kyc.updated', ownerId: id, data } as const
}
