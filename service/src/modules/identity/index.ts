/** What the service vouches for of agents: the routes of certificates, identity, public key and membership proof. */
export type { IdentityContext } from './context.ts'
export { serveIdentity } from './routes.ts'
