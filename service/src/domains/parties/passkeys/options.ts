import {
  CHALLENGE_VALID_S,
  type getPasskeyOptions,
  type ResponseOf,
  type StepUpChallenge,
} from '@batua/contract'

import type { RelyingParty } from './relying-party.ts'
import type { Passkey } from './store.ts'

const TIMEOUT_MS = CHALLENGE_VALID_S * 1_000

/** EdDSA, ES256 and RS256 (IANA COSE Algorithms), which all browsers and devices of today offer one of. */
export const ALGORITHMS = [-8, -7, -257]

/** The options for `navigator.credentials.get`; without passkeys any that the person has for this host may sign. */
export function requestOptions(
  { id }: RelyingParty,
  challenge: string,
  passkeys: readonly Passkey[],
): StepUpChallenge['options'] {
  return {
    challenge,
    rpId: id,
    timeout: TIMEOUT_MS,
    allowCredentials: passkeys.map(descriptor),
    userVerification: 'required',
  }
}

/** The options for `navigator.credentials.create`. */
export function creationOptions(
  { id }: RelyingParty,
  challenge: string,
  person: { readonly handle: string; readonly label: string },
  serviceName: string,
  passkeys: readonly Passkey[],
): ResponseOf<typeof getPasskeyOptions> {
  const displayName = `${serviceName} ${person.label}`
  return {
    challenge,
    rp: { id, name: serviceName },
    user: { id: person.handle, name: person.label, displayName },
    pubKeyCredParams: ALGORITHMS.map(alg => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    attestation: 'none',
    excludeCredentials: passkeys.map(descriptor),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
  }
}

function descriptor({ credentialId, transports }: Passkey) {
  return {
    id: credentialId.toString('base64url'),
    type: 'public-key' as const,
    transports: [...transports],
  }
}
