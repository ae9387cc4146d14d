export type { OwnersContext } from './context.ts'
export { openPersonal, personalIndex, vendorId } from './personal-data.ts'
export { requireOwnerAccess } from './access.ts'
export { ownerRoutes } from './routes.ts'
