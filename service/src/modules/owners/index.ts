export { ownerNotFound, requireOwnerAccess } from './access.ts'
export { acceptInvitation, acceptOnlyOwner, declineInvitation } from './answer-invitation.ts'
export { accountInForce } from './bank-account.ts'
export { KYC_CHECK_ROWS } from './check-store.ts'
export type { OwnersContext } from './context.ts'
export {
  countInvitations,
  type LinkedOwner,
  selectAcceptedOwners,
  selectInvitations,
} from './invitation-store.ts'
export { ownerJobs } from './jobs.ts'
export { listOwnerRecords } from './list-owner-records.ts'
export { countOwners, type OwnerFilter, selectOwners } from './list-store.ts'
export { normalisePhone } from './normalise.ts'
export { ownerRecord } from './owner-record.ts'
export {
  openPersonal,
  type PersonalColumn,
  personalContext,
  personalIndex,
  vendorId,
} from './personal-data.ts'
export { serveOwners } from './routes.ts'
export { lockOwner, OWNER_ROWS, type Owner, updateOwnerStatus, updateOwnerTier } from './store.ts'
