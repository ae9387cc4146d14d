import type { StepUp } from '../domains/parties/index.ts'

/** For servers of tests whose callers have sessions that no table holds: nobody has a passkey. */
export const WITHOUT_PASSKEYS: StepUp = {
  challenge: () => Promise.reject(new Error('nobody has a passkey here')),
  challengeFor: () => Promise.reject(new Error('nobody has a passkey here')),
  confirm: () => Promise.resolve(null),
  confirmationOf: () => Promise.resolve('not_needed'),
  require: () => Promise.resolve(),
}
