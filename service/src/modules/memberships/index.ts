/** Which agent belongs to which organization; the acts on organizations are in modules/organizations. */
export {
  endMemberships,
  insertMember,
  type Member,
  type Membership,
  memberships,
  selectMembers,
  selectOrganizationOf,
  updateMember,
} from './store.ts'
