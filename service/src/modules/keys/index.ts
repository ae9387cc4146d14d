/** The service's signing keys: made, kept, rotated and published. */
export type { KeysContext } from './context.ts'
export { rotateSigningKey } from './rotate-signing-key.ts'
export { type KeyRoutesContext, serveKeys } from './routes.ts'
export type { SigningKey } from './signing-key.ts'
export { openSigningKeys, type SigningKeys } from './signing-keys.ts'
