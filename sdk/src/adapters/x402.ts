/** x402 with its own packages: the schemes `exact` and `upto` for its client and for its servers. */

export type { ExactRequirements, ExactSettlement, ExactVerification } from './x402-checks.ts'
export {
  type ExactClient,
  type ExactClientOptions,
  exactClient,
  type UptoClient,
  uptoClient,
  type X402SchemeClient,
} from './x402-client.ts'
export {
  type ExactServer,
  type ExactServerOptions,
  exactServer,
  facilitatorOf,
  type UptoServer,
  type UptoServerOptions,
  uptoServer,
  type X402SchemeServer,
} from './x402-server.ts'
export { chargeFor, setAside } from './x402-set-aside.ts'
