import type { Clock } from '../../../kernel/clock.ts'
import type { CertificatesContext, SigningKeys } from '../../signing/index.ts'
import type { FindAgent } from '../agents/find-agent.ts'

/** What certificates, identities and proofs are made and checked with. */
export interface IdentityContext extends CertificatesContext {
  readonly clock: Clock
  readonly findAgent: FindAgent
  readonly signingKeys: Pick<SigningKeys, 'at' | 'byId'>
  /** The issuer that everything signed names. */
  readonly serviceName: string
}
