import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { formatId, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { rupees, ZERO_PAISE } from '../../../kernel/money.ts'
import { type Command, type LedgerBatch, type Read, read, type Transfer } from '../../../ledger/index.ts'
import { insert, save } from '../../../operations/entity.ts'
import { type Actor, record } from '../../../operations/facts.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import type { Approved } from '../approvals/approval.ts'
import {
  type Allowance,
  type AllowanceKey,
  allowanceRecord,
  covers,
  decideGiven,
  type Given,
} from './allowance.ts'
import { allowances, openAllowances } from './store.ts'

/** Which payments are allowed. */
interface Pair {
  readonly agentId: Uuid
  readonly payeeId: Uuid
}

/** Gives an allowance by itself. */
export function giveCommand(
  agents: AgentPolicyCache,
  { agentId, payeeId }: Pair,
  given: Given,
  actor: Actor,
): Command<Allowance> {
  return {
    accounts: [agentId],
    reads: [read(openAllowances, agentId)],
    phases: [batch => agents.reads(batch, [agentId])],
    decide(batch) {
      const agent = agents.facts(batch, agentId)
      if (agent === undefined || agent.status === 'deactivated' || agent.status === 'frozen') {
        const message = `The agent is ${agent?.status ?? 'unknown'}, so nothing can be allowed for it`
        return refuse('conflict', message, { details: { status: agent?.status ?? null } })
      }
      if (payeeId === agentId) {
        return refuse('validation_error', 'An agent cannot pay itself; name another agent in to', {
          field: 'to',
        })
      }
      const refusal = decideGiven(given, openIn(batch, agentId).length, batch.nowMs)
      return refusal ?? give(batch, { agentId, payeeId, approvalId: null }, given, actor)
    },
  }
}

/** The execution of an approval that gives an allowance for the same payee in its commit. */
export function withAllowance(
  command: Command<Approved>,
  { agentId, payeeId, id }: { readonly agentId: Uuid; readonly payeeId: Uuid | null; readonly id: Uuid },
  given: Given,
  actor: Actor,
): Command<Approved> {
  return {
    ...command,
    reads: [...command.reads, read(openAllowances, agentId)],
    decide(batch) {
      if (payeeId === null) {
        const message = 'This hold names no payee, so nothing can be allowed with it'
        return refuse('validation_error', message, { field: 'allow' })
      }
      const refusal = decideGiven(given, openIn(batch, agentId).length, batch.nowMs, 'allow.')
      if (refusal !== null) return refusal
      const done = command.decide(batch)
      if (!('made' in done)) return done
      const allowance = give(batch, { agentId, payeeId, approvalId: id }, given, actor)
      return { ...done, made: { ...done.made, allowance: allowanceRecord(allowance) } }
    },
  }
}

function give(
  batch: LedgerBatch,
  of: Pair & Pick<Allowance, 'approvalId'>,
  given: Given,
  actor: Actor,
): Allowance {
  const createdAt = new Date(batch.nowMs)
  const allowance: Allowance = {
    ...of,
    ...given,
    id: newUuid(createdAt),
    createdAt,
    usedPaise: ZERO_PAISE,
    uses: 0,
    isEnded: false,
  }
  insert(batch, allowances, allowance)
  noteOpen(batch, allowance.agentId, open => [...open, allowance])
  const { approvalId } = of
  record(batch, {
    ...factOf(allowance, actor),
    action: 'allowance.created',
    data: {
      to: formatId('agt', allowance.payeeId),
      amount: rupees(allowance.amountPaise),
      until: allowance.until.toISOString(),
      ...(approvalId === null ? {} : { approval_id: formatId('apr', approvalId) }),
    },
  })
  return allowance
}

export function endCommand(key: AllowanceKey, actor: Actor): Command<Allowance> {
  return {
    accounts: [key.agentId],
    reads: [read(allowances, key)],
    decide(batch): Refusal | Allowance {
      const allowance = batch.read(allowances, key)
      if (allowance === undefined) return NO_ALLOWANCE
      if (allowance.isEnded) return allowance
      const until = new Date(Math.min(allowance.until.getTime(), batch.nowMs))
      const ended = { ...allowance, until, isEnded: true }
      save(batch, allowances, ended)
      noteOpen(batch, key.agentId, open => open.filter(({ id }) => id !== key.id))
      record(batch, {
        ...factOf(ended, actor),
        action: 'allowance.ended',
        data: { used: rupees(ended.usedPaise) },
      })
      return ended
    },
  }
}

/** The refusal for a stranger, and for an id without an allowance. */
export const NO_ALLOWANCE = refuse('not_found', 'There is no allowance with this id')

/** What is spent: `payeeId` null names nobody, and no allowance covers it. */
interface Spent {
  readonly payeeId: Uuid | null
  readonly amountPaise: Allowance['amountPaise']
}

/** The read before an allowance is looked for: which hold. */
export function openAllowancesRead(agentId: Uuid): Read {
  return read(openAllowances, agentId)
}

/** The reads of the allowances for this payee, after `openAllowancesRead`. */
export function allowanceReads(batch: LedgerBatch, agentId: Uuid, payeeId: Uuid | null): Read[] {
  const rows = openIn(batch, agentId).filter(each => each.payeeId === payeeId)
  return rows.map(key => read(allowances, key))
}

/** The allowance that covers a spending whole: of several the one that ends first. */
export function allowanceFor(batch: LedgerBatch, agentId: Uuid, spent: Spent): Allowance | null {
  const { payeeId, amountPaise } = spent
  if (payeeId === null) return null
  for (const key of openIn(batch, agentId)) {
    const allowance = key.payeeId === payeeId ? batch.read(allowances, key) : undefined
    if (allowance !== undefined && covers(allowance, { payeeId, amountPaise }, batch.nowMs)) return allowance
  }
  return null
}

/** Counts what was spent under an allowance, in its commit. */
export function countUse(
  batch: LedgerBatch,
  allowance: Allowance,
  { id, amountPaise }: Transfer,
  actor: Actor,
): void {
  const usedPaise = (allowance.usedPaise + amountPaise) as Allowance['usedPaise']
  const used = { ...allowance, usedPaise, uses: allowance.uses + 1 }
  save(batch, allowances, used)
  record(batch, {
    ...factOf(used, actor),
    action: 'allowance.used',
    data: { transaction_id: formatId('txn', id), amount: rupees(amountPaise), used: rupees(usedPaise) },
  })
}

function openIn(batch: LedgerBatch, agentId: Uuid) {
  return batch.read(openAllowances, agentId) ?? []
}

/** Shows the change to later commands of the batch that have read the open allowances. */
function noteOpen(
  batch: LedgerBatch,
  agentId: Uuid,
  change: (open: ReturnType<typeof openIn>) => ReturnType<typeof openIn>,
): void {
  const open = batch.read(openAllowances, agentId)
  if (open !== undefined) batch.set(openAllowances, agentId, change(open))
}

function factOf({ agentId, id }: AllowanceKey, actor: Actor) {
  return { agentId, actor, target: formatId('alw', id) }
}
