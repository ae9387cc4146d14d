import type { AgentCaller } from '../../http/caller.ts'
import { formatId } from '../../kernel/ids.ts'
import { actorOf, type Fact } from '../../operations/facts.ts'
import type { NonceUse } from './decide-verification.ts'
import type { VerifiablePayment } from './verifiable-payment.ts'

/** What a nonce is consumed for. */
export type NonceOwner = Pick<VerifiablePayment, 'id' | 'payer'>

/** The payee of a payment consumed its nonce, or restored it because it could not serve what was paid for. */
export function nonceFact(
  action: 'nonce.consumed' | 'nonce.restored',
  caller: AgentCaller,
  payment: NonceOwner,
  nonce: string,
  { consumeId }: Pick<NonceUse, 'consumeId'>,
): Fact {
  return {
    agentId: caller.agentId,
    actor: actorOf(caller),
    action,
    target: formatId('txn', payment.id),
    data: { nonce, consume_id: consumeId, from: formatId('agt', payment.payer) },
  }
}
