import type { Uuid } from '../../../kernel/ids.ts'
import { lockAccounts } from '../../../ledger/index.ts'
import { service } from '../../../operations/act.ts'
import { recordFacts } from '../../../operations/record.ts'
import { type Issuer, issueDefaultCertificates, issuerAt } from '../../signing/index.ts'
import { agentAct, identityFacts } from './acts.ts'
import { agentSeal } from './agent-seal.ts'
import type { AgentsContext } from './context.ts'
import { selectUnsealed, selectUnsealedIds, updateSeals } from './unsealed-store.ts'

type CompletionContext = Pick<AgentsContext, 'database' | 'clock' | 'vault' | 'signingKeys' | 'serviceName'>

const AGENTS_AT_ONCE = 200

/**
 * Seals agents that were made before there were seals, and gives them their default certificates. For the start of the
 * service; it answers how many there were. One that the log tells of was made later, with a seal, and is left: it
 * counts as altered.
 */
export async function completeAgents(context: CompletionContext): Promise<number> {
  let completed = 0
  let after: Uuid | null = null
  for (;;) {
    const ids: Uuid[] = await selectUnsealedIds(context.database, after, AGENTS_AT_ONCE)
    after = ids.at(-1) ?? null
    if (after === null) return completed
    completed += await completeBatch(context, ids)
  }
}

/** Under the accounts' locks, as every change of an agent: of several nodes one seals, and none ends meanwhile. */
async function completeBatch(context: CompletionContext, ids: readonly Uuid[]): Promise<number> {
  const { database, clock, vault } = context
  const now = clock.now()
  const issuer: Issuer = await issuerAt(context, now)
  return database.inTransaction(async tx => {
    await lockAccounts(tx, ids)
    const agents = await selectUnsealed(tx, ids)
    await updateSeals(
      tx,
      agents.map(agent => ({ id: agent.id, seal: agentSeal(vault, agent) })),
    )
    const actor = service('start')
    const acts = agents.map(agent => agentAct(actor, 'agent.sealed', agent, identityFacts(agent)))
    await recordFacts(tx, vault, now, acts)
    const living = agents.filter(({ status }) => status !== 'deactivated')
    await issueDefaultCertificates(tx, living, issuer, { actor, vault, now })
    return agents.length
  })
}
