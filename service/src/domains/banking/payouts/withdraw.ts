import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import { type Command, read, type Transfer } from '../../../ledger/index.ts'
import type { Actor } from '../../../operations/facts.ts'
import { keyCheck, type RequestKey } from '../../payments/index.ts'
import type { PayoutsContext } from './context.ts'
import { decideWithdrawal } from './decide.ts'
import { transactionIdOf } from './facts.ts'
import { postPayout } from './post-payout.ts'
import { type EarlierRequest, earlierRequests, holders } from './request-store.ts'

/** A withdrawal as it is requested. */
export interface WithdrawalOrder {
  readonly agentId: Uuid
  /** null: the whole balance. */
  readonly amountPaise: Paise | null
  /** The credential and its Idempotency-Key, with which a repeated request gets the same response; null: without a key. */
  readonly requestKey: string | null
  /** The same key in the wallet's namespace. */
  readonly idempotencyKey: string | null
  readonly actor: Actor
}

/** The response to a withdrawal, the first time and when it is repeated. */
export type Withdrawn = Omit<EarlierRequest, 'debitBalancePaise'>

/** Pays money from a wallet to its owner's bank. The same request, repeated after a crash, is the same payout. */
export function withdrawCommand(
  { payoutProvider }: Pick<PayoutsContext, 'payoutProvider'>,
  order: WithdrawalOrder,
): Command<Withdrawn> {
  const { agentId, requestKey } = order
  const request = requestKey === null ? null : { agentId, requestKey }
  const key = keyCheck(agentId, keyOfWithdrawal(order))
  return {
    accounts: [agentId],
    reads: [
      ...key.reads,
      read(holders, agentId),
      ...(request === null ? [] : [read(earlierRequests, request)]),
    ],
    decide(batch) {
      const earlier = request === null ? undefined : batch.read(earlierRequests, request)
      if (earlier !== undefined) return repeated(order, earlier, batch.nowMs)
      const used = key.refusal(batch)
      if (used !== null) return used
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
        idempotencyKey: order.idempotencyKey,
        actor: order.actor,
      })
      const transfer = batch.transfers.at(-1)
      assert(transfer?.id === payout.id, 'a payout posts one transfer')
      key.noteUse(batch, transfer)
      const { debitBalancePaise } = transfer
      if (request !== null) batch.set(earlierRequests, request, { ...payout, debitBalancePaise })
      return payout
    },
  }
}

/** As long as responses are kept under their keys. A later request may be a new one, which must not seem done. */
const REPEATED_WITHIN_MS = DAY_MS

function repeated(order: WithdrawalOrder, earlier: EarlierRequest, nowMs: number): Refusal | Withdrawn {
  const isSame = isSameAmount(order, earlier)
  if (isSame && nowMs - earlier.createdAt.getTime() < REPEATED_WITHIN_MS) return earlier
  const message = `This Idempotency-Key was used for ${isSame ? 'this' : 'another'} withdrawal: details.transaction_id names it. Use a new key for a new withdrawal`
  return refuse('idempotency_error', message, {
    field: 'Idempotency-Key',
    details: { transaction_id: transactionIdOf(earlier), status: earlier.status, same_request: isSame },
  })
}

function keyOfWithdrawal(order: WithdrawalOrder): RequestKey | null {
  if (order.idempotencyKey === null) return null
  return {
    text: order.idempotencyKey,
    field: 'Idempotency-Key',
    isSame: (_batch, use) => use.kind === 'payout' && isSameAmount(order, use),
  }
}

/** A withdrawal of the whole balance is the same as the one that left nothing. */
function isSameAmount(
  { amountPaise }: WithdrawalOrder,
  made: Pick<Transfer, 'amountPaise' | 'debitBalancePaise'>,
): boolean {
  return amountPaise === null ? made.debitBalancePaise === 0n : made.amountPaise === amountPaise
}
