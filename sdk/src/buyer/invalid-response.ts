import { ownError } from '../client/own-error.ts'

/** A response that is valid JSON but not the service's, for example a proxy's: the outcome is unknown. */
export function invalidResponse(missing: string): Error {
  return ownError('invalid_response', `The response has no ${missing}; is baseUrl the service’s address?`)
}
