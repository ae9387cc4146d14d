import type { EffectivePolicy, listPolicyVersions, PolicyVersion, QueryOf, ResponseOf } from '@batua/contract'
import type { Caller } from '../../../http/caller.ts'
import { page, pageOf } from '../../../http/paging.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { FIRST_UUID, formatId, momentOf, parseId, type Uuid } from '../../../kernel/ids.ts'
import { selectLatestMs } from '../../../ledger/index.ts'
import type { Job } from '../../../operations/jobs.ts'
import {
  beginHistories,
  changesBetween,
  countVersions,
  layersFrom,
  type ReadVersion,
  recordPresentPolicy,
  selectVersionAt,
  selectVersions,
  shownVersion,
  tierNamed,
} from '../../limits/index.ts'
import { requireAccess, requireAgentAccess } from '../agents/access.ts'
import { selectNamed } from '../agents/list-store.ts'
import { allowedPayees, blockedPayees, limitWithoutUse, thresholdsOf } from './agent-policy.ts'
import type { Announcer, PolicySettingsContext } from './context.ts'
import { selectPastState } from './past-state-store.ts'

/** The effective policy at a past moment, as the history has it, without what was used of its limits. */
export async function showPastPolicy(
  context: PolicySettingsContext,
  caller: Caller,
  agentRef: string,
  at: string,
): Promise<EffectivePolicy> {
  const { database, vault, clock } = context
  const agent = await requireAgentAccess(database, caller, agentRef)
  // RFC 3339 allows lower-case letters, ECMA-262 does not.
  const moment = new Date(at.toUpperCase())
  if (moment > clock.now() && moment.getTime() > (await selectLatestMs(database, agent.id))) {
    throw refusedMoment('at lies in the future; name a moment until now')
  }
  if (moment < agent.createdAt) {
    throw refusedMoment(`The agent was created at ${agent.createdAt.toISOString()}; name a moment since then`)
  }
  await beginHistory(context, agent.id)
  const [found, state] = await Promise.all([
    selectVersionAt(database, vault, agent.id, moment),
    selectPastState(database, agent, moment),
  ])
  assert(found !== null, 'the history of an agent begins when it is created')
  const layers = layersFrom(found.contents)
  return {
    agent_id: formatId('agt', agent.id),
    status: state.status,
    tier: tierNamed(found.contents),
    limits: layers.flatMap(({ layer, limits }) => limits.map(limit => limitWithoutUse(layer, limit))),
    thresholds: thresholdsOf(layers),
    allowed_payees: allowedPayees(layers),
    blocked_payee_agents: blockedPayees(layers),
    max_amount_now: null,
    pending_policy: state.pending,
    owner_pending_policy: state.ownerPending,
    policy_version: shownVersion(found.version),
    as_of: moment.toISOString(),
  }
}

function refusedMoment(message: string): AppError {
  return new AppError('validation_error', message, { field: 'at' })
}

/** The versions of an agent's effective policy, newest first. */
export async function listVersions(
  context: PolicySettingsContext,
  caller: Caller,
  agentRef: string,
  query: QueryOf<typeof listPolicyVersions>,
): Promise<ResponseOf<typeof listPolicyVersions>> {
  const { database, vault } = context
  const agent = await requireAccess(database, caller, agentRef)
  const total = await beginHistory(context, agent.id)
  const request = pageOf(query)
  const rows = await selectVersions(database, vault, agent.id, request)
  const before = new Map(rows.map((row, index) => [row.id, rows[index + 1]]))
  const changes = new Map(
    rows.map(row => [row.id, changesBetween(before.get(row.id)?.contents ?? [], row.contents)]),
  )
  const named = await selectNamed(database, payeesIn([...changes.values()].flat()))
  const render = (row: ReadVersion): PolicyVersion => {
    const changed = changes.get(row.id) ?? []
    const ids = new Set(payeesIn(changed).map(id => formatId('agt', id)))
    return { ...versionRecord(row), changed, payees: named.filter(({ agent_id }) => ids.has(agent_id)) }
  }
  return page('versions', rows, render, total, request)
}

/** The agents that payee lists name in these changes, before or after. */
function payeesIn(changed: PolicyVersion['changed']): Uuid[] {
  const ids = changed.flatMap(({ from, to }) => [from, to].filter(value => Array.isArray(value)).flat())
  return [...new Set(ids)].map(text => parseId('agt', text)).filter(id => id !== null)
}

function versionRecord(row: ReadVersion): Omit<PolicyVersion, 'changed' | 'payees'> {
  return {
    policy_version: shownVersion(row.version),
    effective_at: momentOf(row.id).toISOString(),
    actor: { type: row.actorType, id: row.actorId },
  }
}

/**
 * The number of an agent's versions. An agent of a release without histories gets its own when it is first read, or by
 * the job.
 */
async function beginHistory(context: PolicySettingsContext, id: Uuid): Promise<number> {
  const count = await countVersions(context.database, id)
  if (count > 0) return count
  await recordPresentPolicy(context, id)
  return countVersions(context.database, id)
}

/** Begins the histories of all agents of a release without histories, once after each start. */
export function historyJob(context: Announcer): Job {
  let after: Uuid | null = FIRST_UUID
  return {
    name: 'policy histories',
    everyMs: 1_000,
    async run() {
      if (after === null) return 0
      const from = after
      after = await beginHistories(context, from)
      return after === null ? 0 : 1
    },
  }
}
