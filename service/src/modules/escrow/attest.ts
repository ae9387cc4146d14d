import type { Uuid } from '../../kernel/ids.ts'
import type { Command } from '../../ledger/index.ts'
import { agentActor } from '../audit/index.ts'
import type { AgentRegister } from '../policies/index.ts'
import { escrowIn, escrowNeed, postRelease } from './close.ts'
import { decideAttestation, decideHeld, proveAttestor } from './decide.ts'
import type { Escrow } from './escrow.ts'
import type { ReleaseOrder } from './release.ts'

/** The release that the attestor orders, to the agent that the money is meant for. */
export interface Attestation extends Omit<ReleaseOrder, 'actor'> {
  readonly attestorId: Uuid
  /** SHA-256 of the key that the request came with. */
  readonly keyHash: Buffer
}

/** Releases at the word of the attestor, whose key is proved again under its account's lock. */
export function attestCommand(agents: AgentRegister, attestation: Attestation): Command<Escrow> {
  const { escrow: key, payeeId, attestorId } = attestation
  const accounts = [...new Set([key.agentId, payeeId, attestorId])]
  return {
    accounts,
    needs: [escrowNeed(key)],
    steps: [book => agents.needs(book, accounts)],
    decide(book) {
      const attestor = agents.facts(book, attestorId)
      const unproved = proveAttestor(attestor, attestation.keyHash)
      if (unproved !== null) return unproved
      const held = decideHeld(escrowIn(book, key))
      if (held.kind === 'refusal') return held
      const { escrow } = held
      const payer = agents.facts(book, key.agentId)
      const refused = decideAttestation({ escrow, payer, payee: agents.facts(book, payeeId) }, attestor)
      return refused ?? postRelease(book, escrow, { ...attestation, actor: agentActor(attestorId) })
    },
  }
}
