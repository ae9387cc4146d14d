import type { AgentPolicyCache } from '../limits/index.ts'
import type { Executors } from './approvals/approval.ts'
import { newRecord, type TokenContext } from './authorizations/authorization-record.ts'
import { executeAuthorization } from './authorizations/authorize.ts'
import { executeHold } from './escrow/hold.ts'
import { executePayment } from './pay.ts'

/** The use case that runs an approved request, by its kind. */
export function executorsOf(context: TokenContext & { readonly agents: AgentPolicyCache }): Executors {
  const { agents } = context
  return {
    payment: executePayment(agents),
    escrow_hold: executeHold(agents),
    authorization: executeAuthorization(agents, (made, policyVersion) =>
      newRecord(context, made, policyVersion),
    ),
  }
}
