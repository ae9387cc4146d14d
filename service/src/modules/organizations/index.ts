/** Organizations: agents of one owner with a treasury and budgets. */
export type { OrganizationsContext } from './context.ts'
export { serveOrganizations } from './routes.ts'
