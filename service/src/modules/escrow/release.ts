import type { Command } from '../../ledger/index.ts'
import type { AgentRegister } from '../policies/index.ts'
import { escrowIn, escrowNeed, postRelease, type Release } from './close.ts'
import { decideHeld, decideRelease } from './decide.ts'
import type { Escrow, EscrowKey } from './escrow.ts'

export interface ReleaseOrder extends Release {
  readonly escrow: EscrowKey
}

/** Releases at the word of the payer's platform, or because the time is over. */
export function releaseCommand(agents: AgentRegister, order: ReleaseOrder): Command<Escrow> {
  const { escrow: key, payeeId } = order
  const accounts = [...new Set([key.agentId, payeeId])]
  return {
    accounts,
    needs: [escrowNeed(key)],
    steps: [book => agents.needs(book, accounts)],
    decide(book) {
      const held = decideHeld(escrowIn(book, key))
      if (held.kind === 'refusal') return held
      const { escrow } = held
      const payer = agents.facts(book, key.agentId)
      const refused = decideRelease({ escrow, payer, payee: agents.facts(book, payeeId) })
      return refused ?? postRelease(book, escrow, order)
    },
  }
}
