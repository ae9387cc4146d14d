/** Organizations: agents of one owner with a treasury and budgets. */
export { NO_ORGANIZATION, requireOrganization } from './access.ts'
export { memberAct } from './acts.ts'
export { requireAgentId } from './change-members.ts'
export type { OrganizationsContext } from './context.ts'
export { notMember } from './decide.ts'
export { organizationJobs } from './due-budgets.ts'
export { serveOrganizations } from './routes.ts'
export { ORGANIZATION_ROWS } from './store.ts'
