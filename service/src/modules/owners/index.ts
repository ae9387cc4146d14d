export { requireOwnerAccess } from './access.ts'
export type { OwnersContext } from './context.ts'
export { openPersonal, personalIndex, vendorId } from './personal-data.ts'
export { serveOwners } from './routes.ts'
