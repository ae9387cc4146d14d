import type { LinkStatus } from '@batua/contract'
import { formatId } from '../../../kernel/ids.ts'
import { type Act, type Actor, actorOf, type Facts, service } from '../../../operations/act.ts'
import { LIMIT_INCREASES } from '../../limits/index.ts'
import type { BankAccount } from './decide.ts'
import type { Owner } from './store.ts'

/** The actor of a bank's decision, whether it came with the submission or with a later check. */
export const BANK_VERIFICATION: Actor = service('bank verification')

/** The entry has no personal data; authorized readers find it in the record with this id. */
export function createdAct({ id, platformId, kycStatus, tier }: Owner): Act {
  return {
    agentId: null,
    actor: actorOf({ kind: 'platform', platformId }),
    action: 'owner.created',
    target: formatId('own', id),
    data: { platform_id: formatId('plt', platformId), kyc_status: kycStatus, tier },
  }
}

/** The holder accepted or declined an invitation, or the platform invited again. */
export function linkAct(actor: Actor, before: Owner, link: LinkStatus): Act {
  return {
    agentId: null,
    actor,
    action: `owner.link_${link}`,
    target: formatId('own', before.id),
    data: {
      platform_id: formatId('plt', before.platformId),
      link_status: { from: before.linkStatus, to: link },
    },
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

/** `effectiveAt`: when a pending account takes effect; null: none is pending. */
export function decidedAct(
  before: Owner,
  after: Owner,
  { last4, ifsc }: BankAccount,
  effectiveAt: Date | null,
): Act {
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
      ...(effectiveAt !== null && { effective_at: effectiveAt.toISOString() }),
    },
  }
}

/** The audit event of a pending account that took effect; none if nothing changed. */
export function accountAppliedActs(before: Owner, applied: Owner): Act[] {
  if (applied === before) return []
  const data = {
    bank_account_last4: { from: before.bankAccountLast4, to: applied.bankAccountLast4 },
    bank_ifsc: { from: before.bankIfsc, to: applied.bankIfsc },
  }
  return [accountAct(LIMIT_INCREASES, 'owner.bank_account_changed', applied, data)]
}

export function accountCancelledAct(actor: Actor, before: Owner): Act {
  const { pendingBankAccountLast4, pendingBankIfsc } = before
  const data = { bank_account_last4: pendingBankAccountLast4, bank_ifsc: pendingBankIfsc }
  return accountAct(actor, 'owner.bank_account_change_cancelled', before, data)
}

function accountAct(
  actor: Actor,
  action: 'owner.bank_account_changed' | 'owner.bank_account_change_cancelled',
  { id, platformId }: Owner,
  facts: Facts,
): Act {
  const data = { platform_id: formatId('plt', platformId), ...facts }
  return { agentId: null, actor, action, target: formatId('own', id), data }
}
