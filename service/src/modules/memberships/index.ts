/** Which agent belongs to which organization; the acts on organizations are in modules/organizations. */
export { applyDueBudget, type BudgetState, changeBudget, type PendingBudget } from './budget.ts'
export {
  deleteMember,
  endMemberships,
  insertMember,
  type Member,
  type Membership,
  memberships,
  selectBudget,
  selectDueBudgets,
  selectMembers,
  selectOrganizationOf,
  updateBudget,
  updateMember,
} from './store.ts'
