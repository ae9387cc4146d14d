import { routes } from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import { formatId } from '../../../kernel/ids.ts'
import { checkCertificate } from '../../signing/index.ts'
import { issueCertificate, revokeCertificate, rotateCertificate } from './change-certificates.ts'
import type { IdentityContext } from './context.ts'
import { requireGenuineAgent } from './genuine-agent.ts'
import { membershipProof } from './membership-proof.ts'
import { listCertificates, readCertificate, renewOf } from './read-certificates.ts'
import { readOrigins, verifyIdentity } from './verify-identity.ts'

export function serveIdentity(serve: Serve, context: IdentityContext): void {
  serve(routes.getMembershipProof, ({ caller, query, now }) => membershipProof(context, caller, query, now))

  serve(routes.verifyIdentity, ({ params, now }) => verifyIdentity(context, params.agent_id, now))

  serve(routes.getAgentOrigins, ({ params, now }) => readOrigins(context, params.handle, now))

  serve(routes.getPublicKey, async ({ params }) => {
    const { id, publicKey } = await requireGenuineAgent(context, params.agent_id)
    return { agent_id: formatId('agt', id), algorithm: 'Ed25519', public_key: publicKey } as const
  })

  serveCertificates(serve, context)
}

function serveCertificates(serve: Serve, context: IdentityContext): void {
  serve(routes.issueCertificate, ({ caller, params, body }) =>
    issueCertificate(context, caller, params.agent_id, body),
  )

  serve(routes.listCertificates, ({ caller, params, query, now }) =>
    listCertificates(context, caller, params.agent_id, query, now),
  )

  serve(routes.getCertificate, ({ caller, params, now }) =>
    readCertificate(context, caller, params.cert_id, now),
  )

  serve(routes.verifyCertificate, async ({ params, now }) => {
    await renewOf(context, params.cert_id)
    return checkCertificate(context, params.cert_id, now)
  })

  serve(
    routes.revokeCertificate,
    ({ caller, params, body }) => revokeCertificate(context, caller, params.cert_id, body),
    { stops: true },
  )

  serve(routes.rotateCertificate, ({ caller, params, body }) =>
    rotateCertificate(context, caller, params.cert_id, body),
  )
}
