import type { Command } from '../../ledger/index.ts'
import type { Actor } from '../audit/index.ts'
import type { AgentRegister } from '../policies/index.ts'
import { escrowIn, escrowNeed, postRefund, refundNeeds } from './close.ts'
import { decideHeld } from './decide.ts'
import type { Escrow } from './escrow.ts'

/** Refunds whatever is still held, in whatever state the payer is. */
export function refundCommand(agents: AgentRegister, escrow: Escrow, actor: Actor): Command<Escrow> {
  return {
    accounts: [escrow.agentId],
    needs: [escrowNeed(escrow), ...refundNeeds(escrow)],
    steps: [book => agents.needs(book, [escrow.agentId])],
    decide(book) {
      const held = decideHeld(escrowIn(book, escrow))
      return held.kind === 'refusal' ? held : postRefund(book, agents, held.escrow, actor)
    },
  }
}
