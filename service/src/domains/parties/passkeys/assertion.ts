import type { IncomingHttpHeaders } from 'node:http'
import type { PasskeyAssertion } from '@batua/contract'
import type { RelyingParty } from './relying-party.ts'
import type { Passkey } from './store.ts'

/** A signature by a passkey that was verified. */
export interface Assertion {
  readonly origin: string
  readonly signCount: number
}

/** Verifies what a passkey signed; null: it does not verify. */
export async function verifyAssertion(
  party: RelyingParty,
  passkey: Passkey,
  expectedChallenge: string | ((challenge: string) => boolean),
  { clientExtensionResults = {}, ...given }: PasskeyAssertion,
  headers: IncomingHttpHeaders,
): Promise<Assertion | null> {
  // Loaded when it is needed, because it takes a tenth of a second of a start.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...given, clientExtensionResults },
      expectedChallenge,
      expectedOrigin: party.origins(headers),
      expectedRPID: party.id,
      credential: {
        id: passkey.credentialId.toString('base64url'),
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.signCount,
      },
      requireUserVerification: true,
    })
    return verified ? { origin: authenticationInfo.origin, signCount: authenticationInfo.newCounter } : null
  } catch {
    return null
  }
}
