/** Sandbox mode: the outside world played on demand, and a clock that can be moved. */
export { followSandboxClock } from './clock.ts'
export type { SandboxContext, SandboxMode } from './context.ts'
export { rehearsalJobs, sandboxJobs } from './jobs.ts'
export type { PlayedOutcome } from './outcomes.ts'
export { playOutcome } from './play-outcome.ts'
export { serveRehearsal, serveSandbox } from './routes.ts'
