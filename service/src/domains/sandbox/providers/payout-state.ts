import { createHash } from 'node:crypto'
import type { ProviderPayout } from '../../../gateways/payout-provider.ts'
import type { Paise } from '../../../kernel/money.ts'
import type { PayoutBehaviour } from './bank-accounts.ts'

export interface SandboxPayout {
  readonly transferId: string
  readonly providerPayoutId: string
  readonly amountPaise: Paise
  readonly behaviour: PayoutBehaviour
  /** Null while the first request of this id has only met a fault. */
  readonly acceptedAt: Date | null
  /** How often its status was queried. */
  readonly asked: number
}

const DECIDED_AFTER_MS = 60_000
const REVERSED_AFTER_MS = 5 * 60_000

/** The status of a payout. It follows from its behaviour, its age and the number of queries. */
export function payoutAt(payout: SandboxPayout & { readonly acceptedAt: Date }, now: Date): ProviderPayout {
  const ageMs = now.getTime() - payout.acceptedAt.getTime()
  const { transferId, providerPayoutId, amountPaise } = payout
  const { status, reason } = statusAt(payout, ageMs)
  const hasUtr = payout.behaviour !== 'utr_later' || ageMs >= DECIDED_AFTER_MS
  const reached = status === 'success' || status === 'reversed'
  return {
    transferId,
    providerPayoutId,
    status,
    amountPaise,
    utr: reached && hasUtr ? utrOf(transferId) : null,
    reason,
  }
}

type ReportedStatus = Pick<ProviderPayout, 'status' | 'reason'>

const COMPLETED: ReportedStatus = { status: 'success', reason: 'COMPLETED' }

function statusAt({ behaviour, asked }: SandboxPayout, ageMs: number): ReportedStatus {
  switch (behaviour) {
    case 'paid':
    case 'utr_later':
    case 'duplicate_id':
    case 'response_lost':
    case 'request_lost':
      return COMPLETED
    case 'failed':
    case 'refused':
      return { status: 'failed', reason: 'BENEFICIARY_BANK_REJECTED' }
    case 'failed_later':
      return ageMs < DECIDED_AFTER_MS
        ? { status: 'pending', reason: 'SENT_TO_BENEFICIARY' }
        : { status: 'failed', reason: 'BENEFICIARY_BANK_OFFLINE' }
    case 'paid_when_asked_twice':
      return asked < 2 ? { status: 'pending', reason: 'SENT_TO_BENEFICIARY' } : COMPLETED
    case 'approved_later':
      return ageMs < DECIDED_AFTER_MS ? { status: 'pending', reason: 'APPROVAL_PENDING' } : COMPLETED
    case 'reversed':
      return ageMs < REVERSED_AFTER_MS
        ? COMPLETED
        : { status: 'reversed', reason: 'RETURNED_FROM_BENEFICIARY' }
  }
}

/** The delays after acceptance at which a payout sends a webhook. One that waits to be queried sends none. */
export function webhookDelaysMs(behaviour: PayoutBehaviour): readonly number[] {
  switch (behaviour) {
    case 'reversed':
      return [0, REVERSED_AFTER_MS]
    case 'utr_later':
      return [0, DECIDED_AFTER_MS]
    case 'failed_later':
    case 'approved_later':
      return [DECIDED_AFTER_MS]
    case 'refused':
    case 'paid_when_asked_twice':
      return []
    case 'paid':
    case 'failed':
    case 'duplicate_id':
    case 'response_lost':
    case 'request_lost':
      return [0]
  }
}

function utrOf(transferId: string): string {
  const digest = createHash('sha256').update(transferId).digest('hex')
  return `UTR${(BigInt(`0x${digest.slice(0, 15)}`) % 10n ** 12n).toString().padStart(12, '0')}`
}
