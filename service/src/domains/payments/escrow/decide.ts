import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { sameHash } from '../../../kernel/secrets.ts'
import type { Account } from '../../../ledger/index.ts'
import { type AgentFacts, approvalNeeded, decidePayee } from '../../limits/index.ts'
import { canReceive, decideBalance, decideBlocked, decideSender, untilActive } from '../decide.ts'
import { aboveThreshold, type SpendPlan } from '../spend.ts'
import { type Escrow, meantFor } from './escrow.ts'

/** An agent that a request names in one of its fields. */
export interface NamedAgent {
  readonly field: 'to_agent_id' | 'attestor_agent_id'
  /** undefined: there is none. */
  readonly agent: AgentFacts | undefined
}

/** The facts that the rules of holding depend on. */
export interface HoldFacts {
  /** The approval threshold applies to the platform and the agent, and not to the owner who approves. */
  readonly by: 'requester' | 'owner'
  readonly payer: AgentFacts | undefined
  readonly payerAccount: Account | undefined
  /** The first is the one that the money is meant for. */
  readonly named: readonly NamedAgent[]
  readonly amountPaise: Paise
  /** Checks the limits; called only when everything before them allows the hold. */
  readonly checkLimits: () => Refusal | null
}

/** The rules of holds, in the order of those of payments. */
export function decideHold(facts: HoldFacts): Refusal | SpendPlan {
  const { payer, payerAccount, amountPaise, named } = facts
  if (payer === undefined || payerAccount === undefined) {
    return refuse('not_found', 'There is no agent with this id')
  }
  const stopped = decideSender(payer.status)
  if (stopped !== null) return stopped
  for (const each of named) {
    const unfit = decideNamed(each, payer)
    if (unfit !== null) return unfit
  }
  const [meant] = named
  const disallowed = meant?.agent === undefined ? null : decidePayee(payer.layers, meant.agent.id)
  const refused = disallowed ?? facts.checkLimits()
  if (refused !== null) return ofField(refused, meant?.field ?? 'to_agent_id')
  const short = decideBalance(payerAccount.balancePaise, amountPaise, ZERO_PAISE)
  if (short !== null) return short
  const threshold = facts.by === 'owner' ? null : approvalNeeded(payer, amountPaise)
  return threshold === null ? { kind: 'proceed' } : aboveThreshold(threshold)
}

/** Whether this agent may receive the payer's money, or attest to its release. */
function decideNamed({ field, agent }: NamedAgent, payer: { readonly id: Uuid }): Refusal | null {
  const who = field === 'to_agent_id' ? 'recipient' : 'attestor'
  if (agent === undefined) {
    return refuse('not_found', 'There is no agent with this id or handle', { field })
  }
  if (agent.id === payer.id) {
    return refuse('validation_error', `The ${who} must be another agent than the payer`, { field })
  }
  if (canReceive(agent.status)) return null
  return refuse(
    'validation_error',
    `The ${who} is ${agent.status} and cannot receive money; name another agent${untilActive(agent.status)}`,
    { field },
  )
}

/** The rules of payments name the field `to`; here the agent has its own field. */
function ofField(refusal: Refusal, field: NamedAgent['field']): Refusal {
  return refusal.field === 'to' ? { ...refusal, field } : refusal
}

/** A second call finds the escrow closed, and the refusal says how it ended. */
export function decideHeld(escrow: Escrow | undefined): Refusal | Escrow {
  if (escrow === undefined) return refuse('not_found', 'There is no escrow with this id')
  if (escrow.status === 'held') return escrow
  return refuse(
    'conflict',
    `This escrow was already ${escrow.status}, which is final; make a new hold for more money`,
    {
      details: { escrow_id: formatId('esc', escrow.id), status: escrow.status },
    },
  )
}

/** The facts that the rules of releasing depend on. */
export interface ReleaseFacts {
  readonly escrow: Escrow
  readonly payer: AgentFacts | undefined
  /** The agent that is to receive the money; undefined: there is no such agent. */
  readonly payee: AgentFacts | undefined
}

/** Whether this held escrow may be released to this payee. */
export function decideRelease({ escrow, payer, payee }: ReleaseFacts): Refusal | null {
  if (payer === undefined) return refuse('not_found', 'There is no escrow with this id')
  const stopped = decideBlocked(payer)
  if (stopped !== null) return stopped
  const unfit = decideNamed({ field: 'to_agent_id', agent: payee }, payer)
  if (payee === undefined || payee.id === payer.id) return unfit
  if (escrow.toAgentId !== null && escrow.toAgentId !== payee.id) {
    return refuse(
      'conflict',
      'The hold named another recipient, details.to_agent_id: release it to that agent, or refund it',
      {
        field: 'to_agent_id',
        details: { escrow_id: formatId('esc', escrow.id), to_agent_id: formatId('agt', escrow.toAgentId) },
      },
    )
  }
  if (unfit !== null) return unfit
  // The agent that the hold named was checked against the lists then.
  const disallowed = payee.id === meantFor(escrow) ? null : decidePayee(payer.layers, payee.id)
  return disallowed === null ? null : ofField(disallowed, 'to_agent_id')
}

/** A limit on payees refuses the release and nothing else: the money stays in escrow. */
export function releaseRefusal(refusal: Refusal): Refusal {
  const message = `${refusal.message}. The money stays in escrow: release it later or to another agent, or refund it`
  return { ...refusal, message, field: 'to_agent_id' }
}

/** Checks that this is the agent's key. */
export function proveKey(agent: AgentFacts | undefined, keyHash: Buffer): Refusal | null {
  if (agent !== undefined && sameHash(agent.keyHash, keyHash)) return null
  return refuse(
    'authentication_error',
    'The agent key is not valid; it may have been replaced, or its agent deactivated. Use the newest key',
  )
}

/** Whether the attestor may attest. The release that it orders is decided like any other. */
export function decideAttestation(facts: ReleaseFacts, attestor: AgentFacts | undefined): Refusal | null {
  const stopped = attestor === undefined ? null : decideSender(attestor.status)
  const refused = stopped ?? decideRelease(facts)
  // The request names no agent.
  return refused === null ? null : withoutField(refused)
}

function withoutField({ field: _field, ...refusal }: Refusal): Refusal {
  return refusal
}

/** The action of a timeout. Without a recipient the money can only be refunded. */
export function dueAction(
  escrow: Escrow,
): { readonly kind: 'release'; readonly payeeId: Uuid } | { readonly kind: 'refund' } {
  const payeeId = meantFor(escrow)
  if (escrow.autoAction !== 'release' || payeeId === null) return { kind: 'refund' }
  return { kind: 'release', payeeId }
}
