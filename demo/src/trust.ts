import { routes } from '@batua/contract'
import { isInLog } from './audit-check.ts'
import type { Agents } from './cast.ts'
import { isSigned } from './signature-check.ts'
import { insist, type Stage } from './stage.ts'

/** The documents that the researcher shows to an unknown counterparty. */
export async function showMembership({ client, paper }: Stage, { payer }: Agents): Promise<void> {
  paper.chapter('The researcher proves that it has a verified owner')
  const { proof, signature } = await client.ok(routes.getMembershipProof, { headers: payer.headers })
  const keys = await client.ok(routes.getServiceKeys)
  paper.facts([
    ['proof', `@${proof.handle}, its owner is ${proof.kyc_status} by a bank`, 'and nothing else about her'],
    ['until', proof.expires_at, 'one hour'],
  ])
  insist(isSigned(proof, signature, keys), 'a proof is signed by a published key')
  paper.proof('The signature is verified without the service: genuine.')
}

/** Proves that the log contains the payment, by hashes and one signature. */
export async function checkLog(
  { client, paper }: Stage,
  { payer }: Agents,
  paymentId: string,
): Promise<void> {
  paper.chapter('The audit log contains the payment, with a proof')
  const audited = await client.ok(routes.verifyAuditEntry, {
    query: { audit_id: paymentId.replace('pay_', 'aud_') },
    headers: payer.headers,
  })
  const keys = await client.ok(routes.getServiceKeys)
  insist(audited.valid && audited.entry !== null, 'a payment is in the audit log')
  paper.facts([
    ['entry', audited.entry.audit_id, audited.entry.action],
    [
      'leaf',
      `${audited.leaf_index ?? 0} of ${audited.tree_size ?? 0}`,
      'in one Merkle tree, its root signed',
    ],
  ])
  insist(isInLog(audited, keys), 'the proof leads from the entry to the signed root')
  paper.proof(`${audited.inclusion_proof.length} hashes lead from the entry to the signed root.`)
}
