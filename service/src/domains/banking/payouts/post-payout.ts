import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import { type LedgerBatch, SYSTEM } from '../../../ledger/index.ts'
import { insert } from '../../../operations/entity.ts'
import { type Actor, record } from '../../../operations/facts.ts'
import { requestedFact } from './facts.ts'
import type { BankAccount, Payout, PayoutKind } from './payout.ts'
import { payouts } from './store.ts'

/** A payout that was decided. */
export interface NewPayout {
  readonly agentId: Uuid
  readonly kind: PayoutKind
  readonly account: BankAccount
  readonly amountPaise: Paise
  readonly provider: string
  /** The caller, or the settlement run. */
  readonly actor: Actor
  readonly settlementDay?: number
  readonly requestKey?: string | null
  readonly idempotencyKey?: string | null
}

/** Debits the wallet and inserts the payout that is to be sent, in one commit. */
export function postPayout(batch: LedgerBatch, request: NewPayout): Payout {
  const { agentId, kind, account, amountPaise, provider, settlementDay = null, requestKey = null } = request
  const transfer = batch.post({
    kind: 'payout',
    debit: agentId,
    credit: SYSTEM.payouts,
    amountPaise,
    idempotencyKey: request.idempotencyKey ?? null,
  })
  const payout: Payout = {
    ...account,
    id: transfer.id,
    agentId,
    kind,
    amountPaise,
    provider,
    settlementDay,
    requestKey,
    createdAt: transfer.postedAt,
    beneficiaryId: null,
    attempts: 0,
    lastSentAt: null,
    status: 'pending',
    providerPayoutId: null,
    utr: null,
    reason: null,
    closedAt: null,
    reversedAt: null,
    nextCheckAt: transfer.postedAt,
  }
  insert(batch, payouts, payout)
  record(batch, requestedFact(request.actor, payout))
  return payout
}
