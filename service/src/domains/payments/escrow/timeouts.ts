import type { Database } from '../../../db/database.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { formatId } from '../../../kernel/ids.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Command, Ledger } from '../../../ledger/index.ts'
import { service } from '../../../operations/act.ts'
import type { Job } from '../../../operations/jobs.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import { dueAction } from './decide.ts'
import { refundCommand, releaseCommand } from './end.ts'
import type { Escrow } from './escrow.ts'
import { claimDueTimeouts, type Party, selectParties } from './store.ts'

/** With the shortest delay, so that a timeout fires within 5 s even if the node that claimed it crashes. */
const TICK_MS = 1_000
const PAUSE_MS = { least: 3_000, most: 60_000 }
const AT_ONCE = 500

export interface TimeoutContext {
  readonly database: Database
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
  readonly logger: Logger
  readonly vault: Vault
}

export function escrowJobs(context: TimeoutContext): Job[] {
  return [{ name: 'escrow timeouts', everyMs: TICK_MS, run: now => fireDueTimeouts(context, now) }]
}

/** Releases or refunds what is due: one bounded batch. Returns the number claimed. */
export async function fireDueTimeouts(context: TimeoutContext, now: Date): Promise<number> {
  const { database, ledger, agents } = context
  const due = await claimDueTimeouts(database, context.vault, now, PAUSE_MS, AT_ONCE)
  if (due.length === 0) return 0
  const parties = await selectParties(
    database,
    due.flatMap(({ agentId, toAgentId }) => [agentId, ...(toAgentId === null ? [] : [toAgentId])]),
  )
  const works = due.map(escrow => ledger.submit(timeoutCommand(agents, escrow, parties)))
  for (const [at, outcome] of (await Promise.allSettled(works)).entries()) {
    if (outcome.status === 'rejected') noteFailure(context.logger, due[at], outcome.reason)
  }
  return due.length
}

function timeoutCommand(
  agents: AgentPolicyCache,
  escrow: Escrow,
  parties: ReadonlyMap<string, Party>,
): Command<Escrow> {
  const actor = service('escrow timeouts')
  const action = dueAction(escrow)
  if (action.kind === 'refund') return refundCommand(agents, escrow, actor)
  const { payeeId } = action
  const onePlatform = parties.get(escrow.agentId)?.platformId === parties.get(payeeId)?.platformId
  return releaseCommand(agents, { escrow, payeeId, onePlatform, actor })
}

/** A stopped payer or payee, or a faster call, is not logged: the row names the time of the next try. */
function noteFailure(logger: Logger, escrow: Escrow | undefined, error: unknown): void {
  if (error instanceof AppError && error.code !== 'service_unavailable') return
  const facts = { escrow_id: escrow === undefined ? null : formatId('esc', escrow.id) }
  logger.warn({ ...facts, err: error }, 'escrow timeout failed; it will be retried')
}
