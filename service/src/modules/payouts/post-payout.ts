import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import { type Book, SYSTEM } from '../../ledger/index.ts'
import { insert } from '../../operations/entity.ts'
import type { Actor } from '../audit/index.ts'
import { recordRequested } from './acts.ts'
import type { BankAccount, Payout, PayoutKind } from './payout.ts'
import { payouts } from './store.ts'

/** A payout that was decided on. */
export interface NewPayout {
  readonly agentId: Uuid
  readonly kind: PayoutKind
  readonly account: BankAccount
  readonly amountPaise: Paise
  readonly provider: string
  /** Who wants it. */
  readonly actor: Actor
  readonly settlementDay?: number
  readonly requestKey?: string | null
}

/** Takes the money out of the wallet and leaves the payout to be sent, in one commit. */
export function postPayout(book: Book, request: NewPayout): Payout {
  const { agentId, kind, account, amountPaise, provider, settlementDay = null, requestKey = null } = request
  const transfer = book.post({ kind: 'payout', debit: agentId, credit: SYSTEM.payouts, amountPaise })
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
  insert(book, payouts, payout)
  recordRequested(book, request.actor, payout)
  return payout
}
