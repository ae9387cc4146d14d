import type { Clock } from '../../kernel/clock.ts'
import type { FindAgent } from '../agents/index.ts'
import type { CertificatesContext } from '../certificates/index.ts'
import type { SigningKeys } from '../keys/index.ts'

/** What certificates, identities and proofs are made and checked with. */
export interface IdentityContext extends CertificatesContext {
  readonly clock: Clock
  readonly findAgent: FindAgent
  readonly signingKeys: Pick<SigningKeys, 'at' | 'byId'>
  /** The issuer that everything signed names. */
  readonly serviceName: string
}
