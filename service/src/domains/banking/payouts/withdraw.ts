import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import { type Command, read } from '../../../ledger/index.ts'
import type { Actor } from '../../../operations/act.ts'
import type { PayoutsContext } from './context.ts'
import { decideWithdrawal } from './decide.ts'
import { transactionIdOf } from './payout.ts'
import { postPayout } from './post-payout.ts'
import { type EarlierRequest, earlierRequests, holders } from './request-store.ts'

/** A withdrawal as it is requested. */
export interface WithdrawalOrder {
  readonly agentId: Uuid
  /** null: the whole balance. */
  readonly amountPaise: Paise | null
  /** The caller and its Idempotency-Key; null: without a key. */
  readonly requestKey: string | null
  readonly actor: Actor
}

/** The response to a withdrawal, the first time and when it is repeated. */
export type Withdrawn = EarlierRequest

/** Pays money from a wallet to its owner's bank. The same request, repeated after a crash, is the same payout. */
export function withdrawCommand(
  { payoutProvider }: Pick<PayoutsContext, 'payoutProvider'>,
  order: WithdrawalOrder,
): Command<Withdrawn> {
  const { agentId, requestKey } = order
  const request = requestKey === null ? null : { agentId, requestKey }
  return {
    accounts: [agentId],
    reads: [read(holders, agentId), ...(request === null ? [] : [read(earlierRequests, request)])],
    decide(batch) {
      const earlier = request === null ? undefined : batch.read(earlierRequests, request)
      if (earlier !== undefined) return repeated(order, earlier, batch.nowMs)
      const holder = batch.read(holders, agentId)
      const wallet = batch.account(agentId)
      if (holder === undefined || wallet === undefined) {
        return refuse('not_found', 'There is no agent with this id')
      }
      const plan = decideWithdrawal({
        ...holder,
        balancePaise: wallet.balancePaise,
        wantedPaise: order.amountPaise,
      })
      if (plan.kind === 'refusal') return plan
      const { account, amountPaise } = plan
      const provider = payoutProvider.name
      const payout = postPayout(batch, {
        agentId,
        kind: 'withdraw',
        account,
        amountPaise,
        provider,
        requestKey,
        actor: order.actor,
      })
      if (request !== null) batch.set(earlierRequests, request, payout)
      return payout
    },
  }
}

/** As long as responses are kept under their keys. A later request may be a new one, which must not seem done. */
const REPEATED_WITHIN_MS = DAY_MS

function repeated(
  { amountPaise }: WithdrawalOrder,
  earlier: EarlierRequest,
  nowMs: number,
): Refusal | Withdrawn {
  const isSame = amountPaise === null || amountPaise === earlier.amountPaise
  if (isSame && nowMs - earlier.createdAt.getTime() < REPEATED_WITHIN_MS) return earlier
  return refuse('idempotency_error', 'This Idempotency-Key was used for another withdrawal; take a new key', {
    field: 'Idempotency-Key',
    details: { transaction_id: transactionIdOf(earlier), status: earlier.status },
  })
}
