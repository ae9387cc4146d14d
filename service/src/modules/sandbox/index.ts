/** Sandbox mode: the outside world played on demand, and a clock that can be moved. */
export { followSandboxClock } from './clock.ts'
export type { SandboxContext } from './context.ts'
export { sandboxJobs } from './jobs.ts'
export { type PlayedOutcome, playOutcome } from './play-outcome.ts'
export { serveSandbox } from './routes.ts'
