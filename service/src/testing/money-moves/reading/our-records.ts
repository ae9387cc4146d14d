import type { Queryable } from '../../../db/database.ts'
import type { FundingState } from '../../../domains/banking/funding/funding.ts'
import type { PayoutKind, PayoutState } from '../../../domains/banking/payouts/payout.ts'
import type { Uuid } from '../../../kernel/ids.ts'

export interface OurFunding {
  readonly id: Uuid
  readonly agentId: Uuid
  readonly amountPaise: bigint
  readonly status: FundingState
  readonly failureReason: string | null
  readonly feePaise: bigint | null
  readonly gatewayPaymentId: string | null
  readonly expiresAt: Date
  readonly closedAt: Date | null
}

export interface OurPayout {
  readonly id: Uuid
  readonly agentId: Uuid
  readonly kind: PayoutKind
  readonly amountPaise: bigint
  readonly status: PayoutState
  readonly utr: string | null
}

export interface OurEscrow {
  readonly id: Uuid
  readonly agentId: Uuid
  readonly amountPaise: bigint
  readonly status: 'held' | 'released' | 'refunded'
  readonly releasedTo: Uuid | null
}

export interface OurEvent {
  readonly name: string
  readonly agentId: Uuid
  readonly data: { readonly amount?: number; readonly funding_id?: string; readonly transaction_id?: string }
}

export interface OurRefund {
  readonly gatewayPaymentId: string
  readonly amountPaise: bigint
  readonly status: string
}

/** The service's own records. */
export interface OurRecords {
  readonly balances: ReadonlyMap<Uuid, bigint>
  readonly fundings: readonly OurFunding[]
  readonly payouts: readonly OurPayout[]
  readonly escrows: readonly OurEscrow[]
  readonly refunds: readonly OurRefund[]
  readonly events: readonly OurEvent[]
}

export async function readOurRecords(db: Queryable): Promise<OurRecords> {
  const wallets = await db.query<{ id: Uuid; balance: bigint }>(
    'select id, balance_paise as balance from accounts',
    [],
  )
  return {
    balances: new Map(wallets.map(({ id, balance }) => [id, balance])),
    fundings: await db.query<OurFunding>(
      `select id, agent_id as "agentId", amount_paise as "amountPaise", status, failure_reason as "failureReason",
         fee_paise as "feePaise", gateway_payment_id as "gatewayPaymentId", expires_at as "expiresAt",
         closed_at as "closedAt" from fundings order by id`,
      [],
    ),
    payouts: await db.query<OurPayout>(
      `select id, agent_id as "agentId", kind, amount_paise as "amountPaise", status, utr from payouts order by id`,
      [],
    ),
    escrows: await db.query<OurEscrow>(
      `select id, agent_id as "agentId", amount_paise as "amountPaise", status, released_to as "releasedTo"
       from escrows`,
      [],
    ),
    refunds: await db.query<OurRefund>(
      `select gateway_payment_id as "gatewayPaymentId", amount_paise as "amountPaise", status from gateway_refunds`,
      [],
    ),
    events: await db.query<OurEvent>(
      `select name, agent_id as "agentId", data from events where agent_id is not null`,
      [],
    ),
  }
}
