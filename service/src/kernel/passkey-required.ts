import { type Refusal, refuse } from './app-error.ts'

const NOT_SIGNED =
  'You have a passkey, so this needs it: ask for a challenge (POST /v1/step-up, or that of the approval), sign it and send the request again'

/** The refusal of what a passkey of the person has to confirm, and has not. */
export function passkeyRequired(message = NOT_SIGNED): Refusal {
  return refuse('passkey_required', message)
}
