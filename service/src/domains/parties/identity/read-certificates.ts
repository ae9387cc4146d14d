import type { Certificate, listCertificates as listRoute, QueryOf, ResponseOf } from '@batua/contract'
import type { Caller } from '../../../http/caller.ts'
import { page, pageOf } from '../../../http/paging.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import {
  certificateRecord,
  countCertificates,
  findCertificate,
  type ProvenCertificate,
  proveCertificates,
  selectCertificate,
  selectCertificates,
} from '../../signing/index.ts'
import { mayAccess, requireAccess } from '../agents/access.ts'
import { findProvenAgent } from '../agents/proven-store.ts'
import { renewIfOutdated } from '../agents/renew-certificates.ts'
import type { IdentityContext } from './context.ts'

/** A certificate by its id. An altered one is shown to nobody; the operator sees the failed assertion. */
export async function requireCertificate(
  context: IdentityContext,
  certificateRef: string,
): Promise<ProvenCertificate> {
  await renewOf(context, certificateRef)
  const found = await findCertificate(context, certificateRef)
  assert(found.kind !== 'altered', `${certificateRef} passes its MAC`)
  if (found.kind === 'none') throw certificateNotFound()
  return found
}

/** Renews an outdated default certificate before it is read or verified. */
export async function renewOf(context: IdentityContext, certificateRef: string): Promise<void> {
  const id = parseId('cert', certificateRef)
  const stored = id === null ? null : await selectCertificate(context.database, id)
  if (stored !== null && stored.revokedAt === null) await renewIfOutdated(context, stored.agentId)
}

function certificateNotFound(): AppError {
  return new AppError('not_found', 'There is no certificate with this id')
}

export async function readCertificate(
  context: IdentityContext,
  caller: Caller,
  certificateRef: string,
  now: Date,
): Promise<Certificate> {
  const proven = await requireCertificate(context, certificateRef)
  return certificateRecord(proven, now, await ownerSeenBy(context, caller, proven.certificate.agentId))
}

/** The agent's owner, shown to its platform, the owner and administrators; not to the agent itself. */
async function ownerSeenBy(
  { database, vault }: IdentityContext,
  caller: Caller,
  agentId: Uuid,
): Promise<Uuid | null> {
  if (caller.kind === 'agent' || caller.kind === 'public') return null
  const found = await findProvenAgent(database, vault, agentId)
  return found.kind === 'agent' && mayAccess(caller, found.agent) ? found.agent.ownerId : null
}

/** An agent's certificates, newest first, without altered ones. */
export async function listCertificates(
  context: IdentityContext,
  caller: Caller,
  agentRef: string,
  query: QueryOf<typeof listRoute>,
  now: Date,
): Promise<ResponseOf<typeof listRoute>> {
  const agent = await requireAccess(context.database, caller, agentRef)
  await renewIfOutdated(context, agent.id)
  const request = pageOf(query)
  const filter = { agentId: agent.id, status: query.status ?? null, now }
  const [stored, total] = await Promise.all([
    selectCertificates(context.database, filter, request),
    countCertificates(context.database, filter),
  ])
  const ownerId = caller.kind === 'agent' ? null : agent.ownerId
  const { certificates, pagination } = page('certificates', stored, row => row, total, request)
  const proven = await proveCertificates(context, agent.id, certificates)
  const records = proven.map(each => certificateRecord(each, now, ownerId))
  return { certificates: await Promise.all(records), pagination }
}
