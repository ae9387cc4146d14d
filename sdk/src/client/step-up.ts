import type { Api } from '../api/routes.ts'
import { type Input, prepareRequest } from './request.ts'

/** What `requestStepUp` takes: the request that a passkey confirms. */
export interface StepUpRequest {
  /** Its method and path, such as `POST /v1/allowances`. */
  readonly action: string
  readonly body: Record<string, unknown>
}

/**
 * The input of `requestStepUp` for a call that was refused with `passkey_required`. Let the passkey sign the challenge that it
 * returns, and repeat the call with `stepUp: { challenge_id, response }`. The base URL of the client must have no path.
 */
export function stepUpFor(operation: keyof Api, input: Input): StepUpRequest {
  const { method, path, body } = prepareRequest(operation, input)
  return { action: `${method} ${path}`, body: body === null ? {} : JSON.parse(body) }
}
