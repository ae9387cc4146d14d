import type { LinkStatus, Tier } from '@batua/contract'
import { formatId } from '../../../kernel/ids.ts'
import { type Actor, actorOf, type Fact, type FactData, service } from '../../../operations/facts.ts'
import { LIMIT_INCREASES } from '../../limits/index.ts'
import type { BankAccount } from './decide.ts'
import type { Owner } from './store.ts'

/** The actor of a bank's decision, whether it came with the submission or with a later check. */
export const BANK_VERIFICATION: Actor = service('bank verification')

/** The entry has no personal data; authorized readers find it in the record with this id. */
export function createdFact({ id, platformId, kycStatus, tier }: Owner): Fact {
  return {
    agentId: null,
    actor: actorOf({ kind: 'platform', platformId }),
    action: 'owner.created',
    target: formatId('own', id),
    data: { platform_id: formatId('plt', platformId), kyc_status: kycStatus, tier },
  }
}

/** The holder accepted or declined an invitation, or the platform invited again. */
export function linkFact(actor: Actor, before: Owner, link: LinkStatus): Fact {
  const change = { link_status: { from: before.linkStatus, to: link } }
  return {
    ...changedFact(actor, `owner.link_${link}`, before, change),
    events: [
      {
        name: 'owner.link.updated',
        ownerId: before.id,
        data: { owner_id: formatId('own', before.id), link_status: link },
      },
    ],
  }
}

/** An administrator froze or unfroze an owner. Its agents' changes are facts of their own. */
export function statusFact(actor: Actor, owner: Owner, to: Owner['status']): Fact {
  return changedFact(actor, to === 'frozen' ? 'owner.frozen' : 'owner.unfrozen', owner, {
    from: owner.status,
    to,
  })
}

/** An administrator moved an owner to another tier. */
export function tierFact(actor: Actor, owner: Owner, to: Tier): Fact {
  return changedFact(actor, 'owner.tier_changed', owner, { from: owner.tier, to })
}

export function submittedFact(actor: Actor, owner: Owner, { last4, ifsc }: BankAccount): Fact {
  return changedFact(actor, 'owner.kyc_submitted', owner, { bank_account_last4: last4, bank_ifsc: ifsc })
}

/**
 * The bank decided about a submitted account, or has not decided yet. `effectiveAt`: when a pending account takes effect;
 * null: none is pending.
 */
export function bankResultFact(
  action: 'owner.kyc_decided' | 'owner.kyc_pending',
  before: Owner,
  after: Owner,
  { last4, ifsc }: BankAccount,
  effectiveAt: Date | null,
): Fact {
  const { id, kycStatus, tier, kycReason: reason } = after
  const isUpdated = kycStatus !== before.kycStatus || reason !== before.kycReason
  const event = { owner_id: formatId('own', id), kyc_status: kycStatus, tier, reason }
  const change = {
    bank_account_last4: last4,
    bank_ifsc: ifsc,
    kyc_status: { from: before.kycStatus, to: kycStatus },
    tier: { from: before.tier, to: tier },
    reason,
    ...(effectiveAt !== null && { effective_at: effectiveAt.toISOString() }),
  }
  return {
    ...changedFact(BANK_VERIFICATION, action, after, change),
    events: isUpdated ? [{ name: 'owner.kyc.updated', ownerId: id, data: event }] : [],
  }
}

/** The audit event of a pending account that took effect; none if nothing changed. */
export function accountAppliedFacts(before: Owner, applied: Owner): Fact[] {
  if (applied === before) return []
  const data = {
    bank_account_last4: { from: before.bankAccountLast4, to: applied.bankAccountLast4 },
    bank_ifsc: { from: before.bankIfsc, to: applied.bankIfsc },
  }
  return [changedFact(LIMIT_INCREASES, 'owner.bank_account_changed', applied, data)]
}

export function accountCancelledFact(actor: Actor, before: Owner): Fact {
  const { pendingBankAccountLast4, pendingBankIfsc } = before
  const data = { bank_account_last4: pendingBankAccountLast4, bank_ifsc: pendingBankIfsc }
  return changedFact(actor, 'owner.bank_account_change_cancelled', before, data)
}

function changedFact(
  actor: Actor,
  action: Extract<Fact['action'], `owner.${string}`>,
  { id, platformId }: Owner,
  change: FactData,
): Fact {
  const data = { platform_id: formatId('plt', platformId), ...change }
  return { agentId: null, actor, action, target: formatId('own', id), data }
}
