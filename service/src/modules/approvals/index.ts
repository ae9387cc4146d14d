/** What waits for an owner's word: payments and holds above an approval threshold. */
export type {
  Approval,
  ApprovalKey,
  ApprovalRequest,
  Approved,
  Executor,
  Executors,
} from './approval.ts'
export { approvalIn, closeApproval, openApproval, requestApproval } from './book.ts'
export { approvalJobs, expireDueApprovals } from './expire.ts'
export { type HoldTerms, holdTerms } from './hold-terms.ts'
export { rejectCommand } from './reject.ts'
export { type ApprovalsContext, serveApprovals } from './routes.ts'
export { approvals, countPendingApprovals } from './store.ts'
export { decidePlace, placeNeeds } from './waiting.ts'
