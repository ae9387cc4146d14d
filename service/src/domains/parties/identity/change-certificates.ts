import {
  type BodyOf,
  CAPABILITIES,
  type Certificate as CertificateRecord,
  DEFAULT_VALIDITY_DAYS,
  type issueCertificate as issueRoute,
  type ResponseOf,
  type revokeCertificate as revokeRoute,
  type rotateCertificate as rotateRoute,
} from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { AppError, raise } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { actorOf } from '../../../operations/facts.ts'
import {
  type Certificate,
  certificateRecord,
  decideRevocation,
  hasValidMac,
  issueCertificate as issue,
  issuerAt,
  lockCertificate,
  revokeCertificates,
} from '../../signing/index.ts'
import { requireAccess, requireMayAccess } from '../agents/access.ts'
import { findProvenAgent, lockProvenAgent, type ProvenAgent } from '../agents/proven-store.ts'
import type { IdentityContext } from './context.ts'
import { genuine } from './genuine-agent.ts'
import { requireCertificate } from './read-certificates.ts'

/** Issues another certificate for an agent in any state except deactivated. */
export async function issueCertificate(
  context: IdentityContext,
  caller: Caller,
  agentRef: string,
  { capabilities, validity_days: validityDays = DEFAULT_VALIDITY_DAYS }: BodyOf<typeof issueRoute>,
): Promise<CertificateRecord> {
  const { database, vault, clock } = context
  const { id } = await requireAccess(database, caller, agentRef)
  const now = clock.now()
  const issuer = await issuerAt(context, now)
  const { agent, certificate } = await database.inTransaction(
    async tx => {
      const locked = await lockLivingAgent(context, tx, caller, id)
      const recording = { actor: actorOf(caller, locked.ownerId), vault, now }
      const terms = { capabilities: capabilities ?? CAPABILITIES, validityDays }
      return { agent: locked, certificate: await issue(tx, locked, terms, issuer, recording) }
    },
    { turns: [id] },
  )
  return certificateRecord({ certificate, key: issuer.key }, now, agent.ownerId)
}

export async function revokeCertificate(
  context: IdentityContext,
  caller: Caller,
  certificateRef: string,
  { reason }: BodyOf<typeof revokeRoute>,
): Promise<CertificateRecord> {
  const { database, vault, clock } = context
  const { certificate, key } = await requireCertificate(context, certificateRef)
  const { agentId } = certificate
  await requireAccess(database, caller, formatId('agt', agentId))
  const now = clock.now()
  const revocation = { reason: reason?.normalize('NFC') ?? null, replacedBy: null }
  const { ownerId, revoked } = await database.inTransaction(
    async tx => {
      const agent = genuine(agentId, await findProvenAgent(tx, vault, agentId))
      requireMayAccess(caller, agent)
      const recording = { actor: actorOf(caller, agent.ownerId), vault, now }
      const locked = await lockUnrevokedCertificate(context, tx, certificate.id)
      return {
        ownerId: agent.ownerId,
        revoked: await revokeCertificates(tx, [locked], revocation, recording),
      }
    },
    { turns: [agentId] },
  )
  const [changed] = revoked
  assert(changed !== undefined, 'one certificate was revoked')
  // The certificate as it was proven: if its signing key was revoked, it is shown with the signature of the next key.
  const { revokedAt, revocationReason } = changed
  return certificateRecord(
    { certificate: { ...certificate, revokedAt, revocationReason }, key },
    now,
    ownerId,
  )
}

/** Revokes a certificate and issues its replacement in one commit: of concurrent rotations one succeeds. */
export async function rotateCertificate(
  context: IdentityContext,
  caller: Caller,
  certificateRef: string,
  { capabilities }: BodyOf<typeof rotateRoute>,
): Promise<ResponseOf<typeof rotateRoute>> {
  const { database, vault, clock } = context
  const { certificate: old } = await requireCertificate(context, certificateRef)
  await requireAccess(database, caller, formatId('agt', old.agentId))
  const now = clock.now()
  const issuer = await issuerAt(context, now)
  const { ownerId, certificate } = await database.inTransaction(
    async tx => {
      const agent = await lockLivingAgent(context, tx, caller, old.agentId)
      const recording = { actor: actorOf(caller, agent.ownerId), vault, now }
      const locked = await lockUnrevokedCertificate(context, tx, old.id)
      const terms = { capabilities: capabilities ?? locked.capabilities, validityDays: DEFAULT_VALIDITY_DAYS }
      const replacement = await issue(tx, agent, terms, issuer, recording)
      const revocation = { reason: 'rotated', replacedBy: replacement.id }
      await revokeCertificates(tx, [locked], revocation, recording)
      return { ownerId: agent.ownerId, certificate: replacement }
    },
    { turns: [old.agentId] },
  )
  return {
    certificate: await certificateRecord({ certificate, key: issuer.key }, now, ownerId),
    revoked_certificate_id: formatId('cert', old.id),
  }
}

/**
 * Locks an agent to which the caller has access by its proven row. It locks the agent's row before those of its
 * certificates, as the deactivation of an agent does.
 */
async function lockLivingAgent(
  { vault }: IdentityContext,
  tx: Queryable,
  caller: Caller,
  id: Uuid,
): Promise<ProvenAgent> {
  const agent = genuine(id, await lockProvenAgent(tx, vault, id))
  requireMayAccess(caller, agent)
  if (agent.status !== 'deactivated') return agent
  throw new AppError('conflict', 'Agent is deactivated, which is final; create a new agent')
}

async function lockUnrevokedCertificate(
  { vault }: IdentityContext,
  tx: Queryable,
  id: Uuid,
): Promise<Certificate> {
  const locked = await lockCertificate(tx, id)
  assert(locked !== null, 'certificates are never deleted')
  assert(hasValidMac(vault, locked), `${formatId('cert', id)} passes its MAC`)
  const refusal = decideRevocation(locked)
  if (refusal !== null) raise(refusal)
  return locked
}
