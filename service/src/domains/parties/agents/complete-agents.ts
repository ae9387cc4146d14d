import type { Uuid } from '../../../kernel/ids.ts'
import { lockAccounts } from '../../../ledger/index.ts'
import { recordFacts, service } from '../../../operations/facts.ts'
import { type Issuer, issueDefaultCertificates, issuerAt } from '../../signing/index.ts'
import type { AgentsContext } from './context.ts'
import { agentFact, identityFacts } from './facts.ts'
import { identityMac } from './identity-mac.ts'
import { selectIdsWithoutMac, selectWithoutMac, updateIdentityMacs } from './incomplete-store.ts'

type CompletionContext = Pick<AgentsContext, 'database' | 'clock' | 'vault' | 'signingKeys' | 'serviceName'>

const AGENTS_AT_ONCE = 200

/**
 * Makes the MAC and the default certificate of agents that were created before MACs existed. Called at the start of the
 * service; returns the number of such agents. An agent whose creation the audit log records was created later, with a
 * MAC: it gets none here and counts as altered.
 */
export async function completeAgents(context: CompletionContext): Promise<number> {
  let completed = 0
  let after: Uuid | null = null
  for (;;) {
    const ids: Uuid[] = await selectIdsWithoutMac(context.database, after, AGENTS_AT_ONCE)
    after = ids.at(-1) ?? null
    if (after === null) return completed
    completed += await completeBatch(context, ids)
  }
}

/** Works under the accounts' locks, so that one of several nodes does it and no agent is deactivated meanwhile. */
async function completeBatch(context: CompletionContext, ids: readonly Uuid[]): Promise<number> {
  const { database, clock, vault } = context
  const now = clock.now()
  const issuer: Issuer = await issuerAt(context, now)
  return database.inTransaction(async tx => {
    await lockAccounts(tx, ids)
    const agents = await selectWithoutMac(tx, ids)
    await updateIdentityMacs(
      tx,
      agents.map(agent => ({ id: agent.id, mac: identityMac(vault, agent) })),
    )
    const actor = service('start')
    const facts = agents.map(agent => agentFact(actor, 'agent.sealed', agent, identityFacts(agent)))
    await recordFacts(tx, vault, now, facts)
    const living = agents.filter(({ status }) => status !== 'deactivated')
    await issueDefaultCertificates(tx, living, issuer, { actor, vault, now })
    return agents.length
  })
}
