import { withdraw } from '@batua/contract'
import { callerName } from '../../../http/caller.ts'
import type { Serve } from '../../../http/serve.ts'
import { estimatedArrival } from '../../../kernel/business-days.ts'
import { formatId } from '../../../kernel/ids.ts'
import { requirePaise, rupees } from '../../../kernel/money.ts'
import { actorOf } from '../../../operations/facts.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import { forCaller, requireAccess } from '../../parties/index.ts'
import { keyOf } from '../../payments/index.ts'
import type { PayoutsContext } from './context.ts'
import { transactionIdOf } from './facts.ts'
import { withdrawCommand } from './withdraw.ts'

interface Agents {
  readonly agents: AgentPolicyCache
}

export function servePayouts(serve: Serve, context: PayoutsContext & Agents): void {
  const { database, ledger, agents, holidays } = context
  serve(withdraw, async ({ caller, params, body, idempotencyKey }) => {
    const agent = await requireAccess(database, caller, params.agent_id)
    const { amount } = body
    const command = withdrawCommand(context, {
      agentId: agent.id,
      amountPaise: amount === undefined ? null : requirePaise(amount, 'amount'),
      requestKey: idempotencyKey === undefined ? null : `${callerName(caller)} ${idempotencyKey}`,
      idempotencyKey: keyOf(caller, idempotencyKey),
      actor: actorOf(caller, agent.ownerId),
    })
    const withdrawn = await ledger.submit(forCaller(agents, { caller, agentId: agent.id }, command))
    return {
      transaction_id: transactionIdOf(withdrawn),
      agent_id: formatId('agt', agent.id),
      amount: rupees(withdrawn.amountPaise),
      status: 'pending' as const,
      bank_account_last4: withdrawn.bankAccountLast4,
      estimated_arrival: estimatedArrival(await holidays.read(), withdrawn.createdAt).toISOString(),
    }
  })
}
