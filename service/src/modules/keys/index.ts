/** The service's signing keys: made, kept, rotated, revoked and published. */
export type { KeysContext } from './context.ts'
export { RevocationRefused, revokeSigningKey } from './revoke-signing-key.ts'
export { type MadeKey, rotateSigningKey } from './rotate-signing-key.ts'
export { type KeyRoutesContext, serveKeys } from './routes.ts'
export type { ServiceKey, SigningKey } from './signing-key.ts'
export { openSigningKeys, type SigningKeys } from './signing-keys.ts'
