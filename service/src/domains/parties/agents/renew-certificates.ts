import type { Uuid } from '../../../kernel/ids.ts'
import { service } from '../../../operations/facts.ts'
import type { Job } from '../../../operations/jobs.ts'
import { hasOutdatedDefault, issuerAt, renewDefaultCertificates } from '../../signing/index.ts'
import type { AgentsContext } from './context.ts'
import { findProvenAgent, lockProvenAgents } from './proven-store.ts'
import { deleteRenewals, RENEWALS_WAIT, selectRenewals } from './renewal-store.ts'

type RenewalContext = Pick<AgentsContext, 'database' | 'clock' | 'vault' | 'signingKeys' | 'serviceName'>

/** Each renewal makes a signature, so a batch of this size blocks the event loop for a few milliseconds. */
const AGENTS_AT_ONCE = 50

export function certificateRenewals(context: RenewalContext): Job {
  return {
    name: 'certificate renewals',
    everyMs: 1_000,
    due: RENEWALS_WAIT,
    run: () => renewRequested(context),
  }
}

/** Renews a bounded batch of the requested certificates. Locked agents are left for the next batch. */
async function renewRequested(context: RenewalContext): Promise<number> {
  const ids = await selectRenewals(context.database, AGENTS_AT_ONCE)
  return ids.length === 0 ? 0 : renew(context, ids, 'skip locked')
}

/**
 * Renews an agent's default certificate if its name or tier is outdated, whether or not the job has run. Every read of
 * certificates calls this first, so that no certificate with an old name or tier is shown or verified as valid.
 */
export async function renewIfOutdated(context: RenewalContext, agentId: Uuid): Promise<void> {
  const { database, vault, clock } = context
  const found = await findProvenAgent(database, vault, agentId)
  if (found.kind !== 'agent' || !(await hasOutdatedDefault(database, found.agent, clock.now()))) return
  await renew(context, [agentId], 'wait')
}

/** Locks the agents' rows before those of their certificates, as the deactivation of an agent does. */
async function renew(
  context: RenewalContext,
  ids: readonly Uuid[],
  locked: 'wait' | 'skip locked',
): Promise<number> {
  const { database, clock, vault } = context
  const now = clock.now()
  const issuer = await issuerAt(context, now)
  return database.inTransaction(async tx => {
    const agents = await lockProvenAgents(tx, vault, ids, locked)
    const living = agents.flatMap(({ agent }) =>
      agent === null || agent.status === 'deactivated' ? [] : [agent],
    )
    const recording = { actor: service('certificate renewal'), vault, now }
    await renewDefaultCertificates(tx, living, issuer, recording)
    await deleteRenewals(
      tx,
      agents.map(({ id }) => id),
    )
    return agents.length
  })
}
