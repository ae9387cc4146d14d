import { ownError } from '../client/own-error.ts'

/** An answer that is good JSON, but that of somebody in front of the service: nothing is known by it. */
export function invalidAnswer(missing: string): Error {
  return ownError('invalid_answer', `The answer has no ${missing}; is baseUrl the service’s address?`)
}
