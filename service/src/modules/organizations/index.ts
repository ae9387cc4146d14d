/** Organizations: agents of one owner with a treasury and budgets. */

export type { OrganizationsContext } from './context.ts'
export { organizationJobs } from './due-budgets.ts'
export { serveOrganizations } from './routes.ts'
export { ORGANIZATION_ROWS } from './store.ts'
