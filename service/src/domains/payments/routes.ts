import {
  evaluatePolicy,
  getPayment,
  listPayments,
  type PaymentResult,
  pay as payRoute,
  refundPayment,
} from '@batua/contract'
import type { Database } from '../../db/database.ts'
import { requireScope } from '../../http/admission/app-scopes.ts'
import { type AgentCaller, type Authenticators, appOfCaller, whenReady } from '../../http/caller.ts'
import type { Call, Serve } from '../../http/serve.ts'
import { AppError } from '../../kernel/app-error.ts'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import { requirePaise } from '../../kernel/money.ts'
import type { Ledger, Transfer } from '../../ledger/index.ts'
import type { AgentPolicyCache } from '../limits/index.ts'
import { type AgentKeyCache, type FindAgent, requireAccess } from '../parties/index.ts'
import { isPolicyRefusal, type RiskSignals } from '../risk/index.ts'
import { givenContext } from './context.ts'
import { evaluateCommand } from './evaluate.ts'
import { lookUpPayment, lookUpPayments } from './look-up.ts'
import { type PaymentOrder, pay, payWithTransfer } from './pay.ts'
import { refundReceived } from './refund.ts'

export interface PaymentsContext {
  readonly database: Database
  readonly ledger: Ledger
  readonly findAgent: FindAgent
  readonly agents: AgentPolicyCache
  /** May find a key in the key cache: the payment checks it again under the agent's lock. */
  readonly agentKeys: AgentKeyCache
  /** The server's own function, for every other kind of credential. */
  readonly authenticators: Authenticators
  readonly signals: Pick<RiskSignals, 'policyRefusal'>
  /** The token of a payment's receipt; null when it cannot be signed now. */
  readonly receiptToken: (payment: Transfer) => Promise<string | null>
}

export function servePayments(serve: Serve, context: PaymentsContext): void {
  const { database, ledger, findAgent, agents, agentKeys } = context
  const remembering = { agent: agentKeys.authenticate, rememberedAgent: agentKeys.recall }
  const fromMemory = { authenticators: { ...context.authenticators, ...remembering } }

  /**
   * A key that the agent no longer has is removed from the cache, or its calls would use up the agent's rate limit.
   * Repeated policy refusals of an agent are reported to the risk rules.
   */
  function noteFailure(caller: AgentCaller): (error: unknown) => never {
    return error => {
      if (error instanceof AppError && error.code === 'authentication_error') context.agentKeys.forget(caller)
      if (isPolicyRefusal(error)) context.signals.policyRefusal(caller.agentId)
      throw error
    }
  }

  /** An agent pays from its own wallet only; for another agent's it gets the same refusal as on every route. */
  async function refuseOther({ caller, params }: Call<typeof payRoute>): Promise<never> {
    await requireAccess(database, caller, params.agent_id)
    throw new Error('assertion failed: another agent is never the caller’s')
  }

  /** The token is signed after the commit and only on request, so no other payment waits for it. */
  function payWithToken(
    { caller, body }: Call<typeof payRoute>,
    order: PaymentOrder,
  ): Promise<PaymentResult> {
    if (body.receipt_token !== true) return pay(ledger, agents, order).catch(noteFailure(caller))
    return payWithTransfer(ledger, agents, order)
      .catch(noteFailure(caller))
      .then(async ({ result, posted }) => ({
        ...result,
        receipt_token: posted === null ? null : await context.receiptToken(posted),
      }))
  }

  serve(
    payRoute,
    call => {
      const { agentId: payerId } = call.caller
      if (parseId('agt', call.params.agent_id) !== payerId) return refuseOther(call)
      return whenReady(findAgent(call.body.to), payeeId =>
        payWithToken(call, orderOf(call, payerId, payeeId)),
      )
    },
    fromMemory,
  )

  serve(refundPayment, ({ caller, params, body, idempotencyKey }) =>
    refundReceived(context, caller, params.payment_id, {
      amountPaise: body.amount === undefined ? null : requirePaise(body.amount, 'amount'),
      idempotencyKey: body.idempotency_key ?? idempotencyKey ?? null,
    }),
  )

  serve(getPayment, call =>
    lookUpPayment(database, call.caller, call.params.agent_id, call.params.payment_id),
  )

  serve(listPayments, call =>
    lookUpPayments(database, call.caller, call.params.agent_id, call.query, call.now),
  )

  serve(evaluatePolicy, async ({ caller, params, body }) => {
    const payer = await requireAccess(database, caller, params.agent_id)
    const payeeId = await findAgent(body.to)
    const amountPaise = requirePaise(body.amount, 'amount')
    return ledger.submit(
      evaluateCommand(agents, { payerId: payer.id, payeeId, amountPaise, app: appOfCaller(caller) }),
    )
  })
}

function orderOf(call: Call<typeof payRoute>, payerId: Uuid, payeeId: Uuid | null): PaymentOrder {
  const { amount, reference, note, unique_reference, idempotency_key, require_approval, context } = call.body
  if (require_approval !== true) requireScope(call.caller, 'payments:write')
  if (unique_reference === true && reference === undefined) {
    throw new AppError('validation_error', 'unique_reference needs a reference', { field: 'reference' })
  }
  return {
    payerId,
    keyHash: call.caller.keyHash,
    payeeId,
    amountPaise: requirePaise(amount, 'amount'),
    reference: reference?.normalize() ?? null,
    note: note?.normalize() ?? null,
    // The Idempotency-Key header is stored as the payment's own key, so that a crash between the two cannot pay twice.
    idempotencyKey: idempotency_key ?? call.idempotencyKey ?? null,
    uniqueReference: unique_reference === true,
    asksOwner: require_approval === true,
    context: givenContext(context),
    app: appOfCaller(call.caller),
  }
}
