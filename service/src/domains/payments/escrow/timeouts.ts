import { AppError } from '../../../kernel/app-error.ts'
import type { Command, Ledger } from '../../../ledger/index.ts'
import { type DueContext, dueWork } from '../../../operations/due-work.ts'
import { service } from '../../../operations/facts.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import { dueAction } from './decide.ts'
import { refundCommand, releaseCommand } from './end.ts'
import type { Escrow } from './escrow.ts'
import { dueTimeouts, escrows } from './store.ts'

export interface TimeoutContext extends DueContext {
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
}

/** Releases or refunds escrows whose timeout is due. */
export const escrowTimeouts = dueWork<TimeoutContext, Escrow>({
  name: 'escrow timeouts',
  rows: dueTimeouts,
  async work({ ledger, agents }, escrow) {
    try {
      await ledger.submit(timeoutCommand(agents, escrow))
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  },
  failure: 'escrow timeout failed; it will be retried',
  ids: escrow => ({ escrow_id: escrows.targetOf(escrow) }),
})

function timeoutCommand(agents: AgentPolicyCache, escrow: Escrow): Command<Escrow> {
  const actor = service('escrow timeouts')
  const action = dueAction(escrow)
  if (action.kind === 'refund') return refundCommand(agents, escrow, actor)
  return releaseCommand(agents, { escrow, payeeId: action.payeeId, actor })
}

/** A stopped payer or payee, or a faster call, is no failure: the row names the time of the next try. */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'service_unavailable'
}
