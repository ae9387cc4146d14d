import { type Client, isBatuaError, type SignedStepUp, stepUpFor } from '@batua/sdk'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { callOperation, type InputOf, type Operation, type ResultOf } from './api.tsx'

/** Why no passkey signed: the person closed the dialog, or the browser could not. */
export type PasskeyReason = 'closed' | 'unsupported' | 'insecure' | 'other_host' | 'enrolled_already'

export class PasskeyError extends Error {
  override readonly name = 'PasskeyError'
  readonly reason: PasskeyReason

  constructor(reason: PasskeyReason, options?: ErrorOptions) {
    super(`the passkey did not sign: ${reason}`, options)
    this.reason = reason
  }
}

type Options = ResultOf<'requestStepUp'>['options']

/** Lets a passkey of this person sign the challenge. The browser asks for the finger, the face or the PIN. */
export function signWithPasskey(options: Options): Promise<SignedStepUp['response']> {
  return withBrowser(({ startAuthentication }) => startAuthentication({ optionsJSON: options }))
}

/** Makes a new passkey on a device of this person. */
export function makePasskey(
  options: ResultOf<'getPasskeyOptions'>,
): Promise<InputOf<'createPasskey'>['response']> {
  const optionsJSON: PublicKeyCredentialCreationOptionsJSON = options
  return withBrowser(async ({ startRegistration }) => {
    const { response, ...credential } = await startRegistration({ optionsJSON })
    return { ...credential, response } as InputOf<'createPasskey'>['response']
  })
}

const loadBrowser = () => import('@simplewebauthn/browser')
type Browser = Awaited<ReturnType<typeof loadBrowser>>

/** The library is loaded when the first passkey is asked for. */
async function withBrowser<Result>(ask: (browser: Browser) => Promise<Result>): Promise<Result> {
  if (!window.isSecureContext) throw new PasskeyError('insecure')
  const browser = await loadBrowser()
  if (!browser.browserSupportsWebAuthn()) throw new PasskeyError('unsupported')
  try {
    return await ask(browser)
  } catch (error) {
    throw new PasskeyError(reasonOf(error, browser), { cause: error })
  }
}

function reasonOf(error: unknown, { WebAuthnError }: Browser): PasskeyReason {
  if (!(error instanceof WebAuthnError)) return 'closed'
  if (error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return 'enrolled_already'
  return error.code === 'ERROR_INVALID_DOMAIN' || error.code === 'ERROR_INVALID_RP_ID'
    ? 'other_host'
    : 'closed'
}

/** Whether the service refused because a passkey of the person has to confirm it. */
export function needsPasskey(error: unknown): boolean {
  return isBatuaError(error) && error.code === 'passkey_required'
}

/** Calls an operation with the confirmation of a passkey. The browser shows its dialog meanwhile. */
export async function callConfirmed<Name extends Operation>(
  client: Client,
  operation: Name,
  input: InputOf<Name>,
  idempotencyKey: string,
): Promise<ResultOf<Name>> {
  // An approval has a challenge of its own, over everything that its owner sees.
  if (operation === 'approve') {
    const { approval_id, allow } = input as InputOf<'approve'>
    const { challenge_id, options } = await client.challengeApproval({
      approval_id,
      ...(allow === undefined ? {} : { allow }),
    })
    const signed = { challenge_id, response: await signWithPasskey(options) }
    return callOperation(client, operation, { ...input, ...signed }, { idempotencyKey })
  }
  const { challenge_id, options } = await client.requestStepUp(stepUpFor(operation, { ...input }))
  const stepUp = { challenge_id, response: await signWithPasskey(options) }
  return callOperation(client, operation, input, { idempotencyKey, stepUp })
}
