/** How the layers of spend policy are set and shown: tiers, owners, agents. */
export type { PolicySettingsContext } from './context.ts'
export { policyJobs } from './due-changes.ts'
export { servePolicySettings } from './routes.ts'
