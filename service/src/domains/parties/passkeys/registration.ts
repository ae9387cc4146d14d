import type { IncomingHttpHeaders } from 'node:http'
import type { BodyOf, createPasskey } from '@batua/contract'
import { ALGORITHMS } from './options.ts'
import type { RelyingParty } from './relying-party.ts'
import type { Passkey } from './store.ts'

/** A new credential that was verified, and the challenge that its browser signed. */
export interface Registration {
  readonly challenge: string
  readonly credential: Pick<Passkey, 'credentialId' | 'publicKey' | 'signCount'>
}

/** Verifies a new credential; null: it does not verify. Whose challenge it is, the caller checks. */
export async function verifyRegistration(
  party: RelyingParty,
  { clientExtensionResults = {}, ...given }: BodyOf<typeof createPasskey>['response'],
  headers: IncomingHttpHeaders,
): Promise<Registration | null> {
  // Loaded when it is needed, because it takes a tenth of a second of a start.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  let challenge = ''
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...given, clientExtensionResults },
      expectedChallenge(sent) {
        challenge = sent
        return true
      },
      expectedOrigin: party.origins(headers),
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified || registrationInfo === undefined) return null
    const { id, publicKey, counter } = registrationInfo.credential
    const credentialId = Buffer.from(id, 'base64url')
    return { challenge, credential: { credentialId, publicKey: Buffer.from(publicKey), signCount: counter } }
  } catch {
    return null
  }
}
