import type { Clock } from '../../../kernel/clock.ts'
import type { CertificatesContext, SigningKeys } from '../../signing/index.ts'
import type { FindAgent } from '../agents/find-agent.ts'

/** The dependencies of certificates, identities and membership proofs. */
export interface IdentityContext extends CertificatesContext {
  readonly clock: Clock
  readonly findAgent: FindAgent
  readonly signingKeys: Pick<SigningKeys, 'at' | 'byId'>
  /** The issuer named in everything that the service signs. */
  readonly serviceName: string
}
