import { createAllowance, endAllowance, listAllowances } from '@batua/contract'
import type { Database, Queryable } from '../../../db/database.ts'
import { type PageRequest, page, pageOf } from '../../../http/paging.ts'
import type { Serve } from '../../../http/serve.ts'
import { AppError, raise } from '../../../kernel/app-error.ts'
import { parseId } from '../../../kernel/ids.ts'
import type { Ledger } from '../../../ledger/index.ts'
import { actorOf } from '../../../operations/facts.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import {
  type FindAgent,
  forCaller,
  requireAccess,
  selectAgentNames,
  selectListedAgents,
  type WithStepUp,
} from '../../parties/index.ts'
import { allowanceRecord, givenBy, namedAllowance } from './allowance.ts'
import { endCommand, giveCommand, NO_ALLOWANCE } from './change-allowance.ts'
import { type AllowanceFilter, selectAllowance, selectAllowances } from './store.ts'

export interface AllowancesContext extends WithStepUp {
  readonly database: Database
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
  readonly findAgent: FindAgent
}

export function serveAllowances(
  serve: Serve,
  { database, ledger, agents, findAgent, stepUp }: AllowancesContext,
): void {
  serve(createAllowance, async call => {
    const { caller, body } = call
    await stepUp.require(call)
    const { id: agentId, ownerId } = await requireAccess(database, caller, body.agent_id)
    const payeeId = await findAgent(body.to)
    if (payeeId === null) {
      throw new AppError('not_found', 'There is no agent with this id or handle', { field: 'to' })
    }
    const command = giveCommand(agents, { agentId, payeeId }, givenBy(body), actorOf(caller, ownerId))
    return allowanceRecord(await ledger.submit(forCaller(agents, { caller, agentId }, command)))
  })

  serve(listAllowances, async ({ caller, query, now }) => {
    const request = pageOf(query)
    const agentIds = await selectListedAgents(database, caller, query.agent_id)
    const { rows, names, total } = await findAllowances(database, { agentIds, now }, request)
    return page('allowances', rows, row => namedAllowance(row, names), total, request)
  })

  serve(endAllowance, async ({ caller, params }) => {
    const id = parseId('alw', params.allowance_id)
    const view = id === null ? null : await selectAllowance(database, id)
    if (view === null) raise(NO_ALLOWANCE)
    const claim = { caller, agentId: view.agentId, otherwise: NO_ALLOWANCE }
    const command = endCommand(view, actorOf(caller, view.ownerId))
    return allowanceRecord(await ledger.submit(forCaller(agents, claim, command)))
  })
}

/** A page of allowances, with the names of both sides. */
export async function findAllowances(db: Queryable, filter: AllowanceFilter, request: PageRequest) {
  const { rows, total } = await selectAllowances(db, filter, request)
  const ids = new Set(rows.flatMap(({ agentId, payeeId }) => [agentId, payeeId]))
  return { rows, total, names: await selectAgentNames(db, [...ids]) }
}
