import {
  type Allow,
  type Allowance as AllowanceRecord,
  MAX_ALLOWANCE_DAYS,
  MAX_ALLOWANCES,
  type NamedAllowance,
} from '@batua/contract'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, requirePaise, rupees } from '../../../kernel/money.ts'

/** The key of an allowance. The agent's id comes first, because the row is stored by it. */
export interface AllowanceKey {
  readonly agentId: Uuid
  readonly id: Uuid
}

/** Payments to one payee that the owner approved beforehand. */
export interface Allowance extends AllowanceKey {
  readonly payeeId: Uuid
  readonly amountPaise: Paise
  readonly approvalId: Uuid | null
  readonly createdAt: Date
  /** When it ends, or ended by the owner's decision. */
  readonly until: Date
  readonly usedPaise: Paise
  /** How many payments and holds used it. */
  readonly uses: number
  readonly isEnded: boolean
}

/** What an owner gives, parsed. */
export interface Given {
  readonly amountPaise: Paise
  readonly until: Date
}

/** `field` names where the request has the two values: `allow.` in an approval. */
export function givenBy({ amount, until }: Allow, field = ''): Given {
  return { amountPaise: requirePaise(amount, `${field}amount`), until: new Date(until) }
}

/** Whether one more allowance may be given; `open` is how many hold. */
export function decideGiven({ until }: Given, open: number, nowMs: number, field = ''): Refusal | null {
  const untilMs = until.getTime()
  if (untilMs <= nowMs || untilMs > nowMs + MAX_ALLOWANCE_DAYS * DAY_MS) {
    const message = `An allowance ends in the future, at most ${MAX_ALLOWANCE_DAYS} days from now`
    return refuse('validation_error', message, { field: `${field}until` })
  }
  if (open < MAX_ALLOWANCES) return null
  return refuse(
    'conflict',
    `This agent has ${open} allowances, and no more than ${MAX_ALLOWANCES} may hold at once; end one first`,
    { details: { allowances: open, max_allowances: MAX_ALLOWANCES } },
  )
}

/** Whether a payment or hold of this amount to this payee is allowed, whole, by what is left. */
export function covers(
  allowance: Allowance,
  { payeeId, amountPaise }: { readonly payeeId: Uuid; readonly amountPaise: Paise },
  nowMs: number,
): boolean {
  const { usedPaise, isEnded, until } = allowance
  if (isEnded || until.getTime() <= nowMs || allowance.payeeId !== payeeId) return false
  return usedPaise + amountPaise <= allowance.amountPaise
}

export function allowanceRecord(allowance: Allowance): AllowanceRecord {
  const { id, agentId, payeeId, amountPaise, usedPaise, until } = allowance
  return {
    allowance_id: formatId('alw', id),
    agent_id: formatId('agt', agentId),
    to: formatId('agt', payeeId),
    amount: rupees(amountPaise),
    used: rupees(usedPaise),
    until: until.toISOString(),
  }
}

/** What people know the agents of an allowance by. */
export type AgentNames = ReadonlyMap<Uuid, { readonly name: string; readonly handle: string }>

export function namedAllowance(allowance: Allowance, names: AgentNames): NamedAllowance {
  const [agent, payee] = [names.get(allowance.agentId), names.get(allowance.payeeId)]
  assert(agent !== undefined && payee !== undefined, 'agents are never deleted')
  return {
    ...allowanceRecord(allowance),
    agent_name: agent.name,
    to_name: payee.name,
    to_handle: payee.handle,
  }
}
