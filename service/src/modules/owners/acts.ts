import { formatId } from '../../kernel/ids.ts'
import { type Act, type Actor, actorOf, service } from '../audit/index.ts'
import type { BankAccount } from './decide.ts'
import type { Owner } from './store.ts'

/** The bank's word, whether it came with the submission or a job had to ask for it again. */
export const BANK_VERIFICATION: Actor = service('bank verification')

/** Who the person is stays out: the id leads whoever may know to the record. */
export function createdAct({ id, platformId, kycStatus, tier }: Owner): Act {
  return {
    agentId: null,
    actor: actorOf({ kind: 'platform', platformId }),
    action: 'owner.created',
    target: formatId('own', id),
    data: { platform_id: formatId('plt', platformId), kyc_status: kycStatus, tier },
  }
}

export function submittedAct(actor: Actor, owner: Owner, { last4, ifsc }: BankAccount): Act {
  return {
    agentId: null,
    actor,
    action: 'owner.kyc_submitted',
    target: formatId('own', owner.id),
    data: { platform_id: formatId('plt', owner.platformId), bank_account_last4: last4, bank_ifsc: ifsc },
  }
}

export function decidedAct(before: Owner, after: Owner, { last4, ifsc }: BankAccount): Act {
  return {
    agentId: null,
    actor: BANK_VERIFICATION,
    action: 'owner.kyc_decided',
    target: formatId('own', after.id),
    data: {
      platform_id: formatId('plt', after.platformId),
      bank_account_last4: last4,
      bank_ifsc: ifsc,
      kyc_status: { from: before.kycStatus, to: after.kycStatus },
      tier: { from: before.tier, to: after.tier },
      reason: after.kycReason,
    },
  }
}
