import pMap from 'p-map'
import { AlteredRow } from '../../../db/row-mac.ts'
import { FIRST_UUID, formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Ledger } from '../../../ledger/index.ts'
import { type DueContext, dueWork } from '../../../operations/due-work.ts'
import type { Job } from '../../../operations/jobs.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import type { Authorization } from './authorization.ts'
import { advanceCommand } from './end.ts'
import {
  authorizations,
  type ChangedAgent,
  changedAgents,
  dueAuthorizations,
  forgetChange,
  selectConcerned,
} from './store.ts'

export interface AuthorizationJobContext extends DueContext {
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
}

/** Begins the closing of authorizations that expire, and ends those whose closing is over. */
const expiry = dueWork<AuthorizationJobContext, Authorization>({
  name: 'authorization expiry',
  rows: dueAuthorizations,
  work: ({ ledger, agents }, authorization) => ledger.submit(advanceCommand(agents, authorization)),
  failure: 'authorization expiry failed; it will be retried',
  ids: authorization => ({ authorization_id: authorizations.targetOf(authorization) }),
})

/** Authorizations of one agent that are read together. */
const AT_ONCE = 500

/**
 * Begins the closing, or ends authorizations, after their payer or payee was changed; and continues those whose grace
 * was paused.
 */
const ofChangedAgents = dueWork<AuthorizationJobContext, ChangedAgent>({
  name: 'authorizations of changed agents',
  rows: changedAgents,
  async work(context, changed) {
    let after: Uuid | null = FIRST_UUID
    while (after !== null) after = await advanceSome(context, changed.id, after)
    await forgetChange(context.database, changed)
  },
  concurrency: 20,
  failure: 'authorizations of a changed agent were not closed; they will be retried',
  ids: ({ id }) => ({ agent_id: formatId('agt', id) }),
})

/** Returns the last one; null: there are no more. An altered one was reported when it was read, and does nothing. */
async function advanceSome(
  { database, ledger, agents }: AuthorizationJobContext,
  agentId: Uuid,
  after: Uuid,
): Promise<Uuid | null> {
  const concerned = await selectConcerned(database, agentId, after, AT_ONCE)
  await pMap(concerned, async authorization => {
    try {
      await ledger.submit(advanceCommand(agents, authorization))
    } catch (error) {
      if (!(error instanceof AlteredRow)) throw error
    }
  })
  return concerned.length < AT_ONCE ? null : (concerned.at(-1)?.id ?? null)
}

export function authorizationJobs(context: AuthorizationJobContext): Job[] {
  return [expiry(context), ofChangedAgents(context)]
}
