import { getJwks, getServiceKeys } from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import { jwksDocument, serviceKeysDocument } from './key-documents.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface KeyRoutesContext {
  readonly signingKeys: SigningKeys
  /** The issuer of everything that is signed. */
  readonly serviceName: string
}

const NOT_RATE_LIMITED = { uncounted: true }

export function serveKeys(serve: Serve, { signingKeys, serviceName }: KeyRoutesContext): void {
  // Every verifier of a signature needs the keys, and they are read from memory.
  serve(
    getServiceKeys,
    async () => serviceKeysDocument(serviceName, await signingKeys.all()),
    NOT_RATE_LIMITED,
  )
  serve(getJwks, async () => jwksDocument(await signingKeys.all()), NOT_RATE_LIMITED)
}
