import type { Uuid } from '../../kernel/ids.ts'
import type { Command } from '../../ledger/index.ts'
import type { AgentRegister } from '../policies/index.ts'
import { escrowIn, escrowNeed, postRelease } from './close.ts'
import { decideHeld, decideRelease } from './decide.ts'
import type { Escrow, EscrowKey } from './escrow.ts'

export interface ReleaseOrder {
  readonly escrow: EscrowKey
  readonly payeeId: Uuid
  /** Payer and payee belong to the same platform. */
  readonly onePlatform: boolean
}

/** Releases at the word of the payer's platform. */
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
      return refused ?? postRelease(book, escrow, payeeId, order.onePlatform)
    },
  }
}
