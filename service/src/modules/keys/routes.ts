import { getJwks, getServiceKeys } from '@batua/contract'
import type { Serve } from '../../http/serve.ts'
import { jwksDocument, serviceKeysDocument } from './key-documents.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface KeyRoutesContext {
  readonly signingKeys: SigningKeys
  /** The name that everything signed carries as its issuer. */
  readonly serviceName: string
}

export function serveKeys(serve: Serve, { signingKeys, serviceName }: KeyRoutesContext): void {
  serve(getServiceKeys, async () => serviceKeysDocument(serviceName, await signingKeys.all()))
  serve(getJwks, async () => jwksDocument(await signingKeys.all()))
}
