import { type OperationId, type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, errorOf, type Sent } from './src/api.ts'
import type { ServiceDatabase } from './src/database.ts'
import { kindFor, ownHeaders } from './src/route-table.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { VALID_CALLS } from './src/valid-calls.ts'
import { openWorld, PENDING_CONTROL, type World } from './src/world.ts'

/** What a route does while the owner is frozen. `conflict` and `policy_denied`: it refuses. `works`: it stops, lowers,
 * cancels, or credits money that was already paid. `reads`: it changes nothing. `apart`: it changes nothing of an
 * owner. `each`: it has a result for each agent. A new route has to be decided here.
 */
type WhileFrozen = 'conflict' | 'policy_denied' | 'works' | 'reads' | 'apart' | 'each'

const WHILE_FROZEN: Record<Exclude<OperationId, `get${string}` | `list${string}`>, WhileFrozen> = {
  createPlatform: 'apart',
  updatePlatform: 'apart',
  deletePlatform: 'apart',
  rotatePlatformSecret: 'apart',
  rotateWebhookSecret: 'apart',
  createOwner: 'apart',
  // The person decides whether to accept the platform.
  inviteOwner: 'apart',
  acceptInvitation: 'apart',
  declineInvitation: 'apart',
  submitKyc: 'conflict',
  cancelBankAccountChange: 'works',
  createAgent: 'conflict',
  // What tightens works, and so do a new name and removed origins.
  updateAgent: 'conflict',
  deactivateAgent: 'works',
  pauseAgent: 'conflict',
  resumeAgent: 'conflict',
  rotateAgentKey: 'conflict',
  cancelPendingPolicy: 'works',
  evaluatePolicy: 'reads',
  createFunding: 'policy_denied',
  createUpiCollect: 'policy_denied',
  withdraw: 'policy_denied',
  pay: 'policy_denied',
  refundPayment: 'policy_denied',
  approve: 'policy_denied',
  // What it lets an owner sign is refused.
  challengeApproval: 'apart',
  reject: 'works',
  registerListing: 'conflict',
  // Its valid call names no listing of the agent.
  deleteListing: 'apart',
  createAllowance: 'conflict',
  endAllowance: 'works',
  // Its valid call needs the browser of a request; connected-apps.e2e.test.ts shows that it is refused.
  allowConnectRequest: 'apart',
  denyConnectRequest: 'apart',
  endConnectedApp: 'works',
  holdEscrow: 'policy_denied',
  holdEscrowWithTimeout: 'policy_denied',
  holdEscrowWithAttestation: 'policy_denied',
  releaseEscrow: 'policy_denied',
  refundEscrow: 'works',
  attestEscrow: 'policy_denied',
  authorize: 'policy_denied',
  captureAuthorization: 'policy_denied',
  voidAuthorization: 'works',
  closeAuthorization: 'works',
  verifyTransaction: 'reads',
  restoreNonce: 'apart',
  verifyX402Payment: 'reads',
  // A refund by it is refused in its response.
  settleX402Payment: 'apart',
  verifyReceipt: 'reads',
  verifyIdentity: 'reads',
  // Certificates identify an agent and move no money.
  issueCertificate: 'works',
  verifyCertificate: 'reads',
  revokeCertificate: 'works',
  rotateCertificate: 'works',
  verifyAuditEntry: 'reads',
  createOrganization: 'conflict',
  addMember: 'conflict',
  // What lowers a budget works.
  updateMember: 'conflict',
  removeMember: 'conflict',
  nameTreasury: 'conflict',
  allocate: 'policy_denied',
  retryWebhookDelivery: 'apart',
  testWebhook: 'apart',
  sendOtp: 'apart',
  verifyOtp: 'apart',
  logOut: 'apart',
  sendAdminOtp: 'apart',
  verifyAdminOtp: 'apart',
  logOutAdmin: 'apart',
  logInPlatform: 'apart',
  pauseAllAgents: 'works',
  logOutPlatform: 'apart',
  // A passkey is the person’s, and confirms what is decided elsewhere.
  createPasskey: 'apart',
  deletePasskey: 'apart',
  keepPasskey: 'apart',
  requestStepUp: 'apart',
  logInByPasskey: 'apart',
  endSession: 'apart',
  endOtherSessions: 'apart',
  updateNotificationSettings: 'apart',
  createPushSubscription: 'apart',
  endPushSubscription: 'apart',
  updateOwnerPolicy: 'conflict',
  cancelOwnerPendingPolicy: 'works',
  setOwnerTier: 'works',
  freezeOwner: 'works',
  unfreezeOwner: 'works',
  bulkFreezeAgents: 'each',
  bulkQuarantineAgents: 'each',
  bulkRestoreAgents: 'each',
  updateTier: 'apart',
  reviewRiskAlert: 'apart',
  receiveGatewayWebhook: 'apart',
  completeSandboxPayment: 'works',
  advanceClock: 'apart',
}

let stage: Stage
let api: Api
let database: ServiceDatabase
let world: World

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, database } = stage)
  world = await openWorld(api)
  await call('updateMember', { body: { budget_limit: 400 } })
  await call('freezeOwner')
}, 120_000)
afterAll(() => stage.close())

function sent(operation: OperationId, change: Sent): Sent {
  const kind = kindFor(routes[operation], 'platform')
  const headers = kind === null ? {} : ownHeaders(world, operation, kind)
  return { ...VALID_CALLS[operation](world), headers, ...change }
}

function call(operation: OperationId, change: Sent = {}) {
  const route: Route = routes[operation]
  return api.ok(route, sent(operation, change))
}

/** Calls that loosen, for routes whose valid call tightens. */
const LOOSER: Partial<Record<OperationId, Sent>> = {
  updateAgent: { body: { require_human_approval_above: 500, spend_limit_per_tx: 1 } },
  updateOwnerPolicy: { body: { [PENDING_CONTROL]: 70 } },
  updateMember: { body: { budget_limit: 401 } },
}

const decided = Object.entries(WHILE_FROZEN) as [OperationId, WhileFrozen][]
const refused = decided.filter(([, outcome]) => outcome === 'conflict' || outcome === 'policy_denied')

test('every route that refuses because of a frozen owner says so and changes nothing', async () => {
  const before = await database.fingerprint()
  for (const [operation, code] of refused) {
    const status = code === 'conflict' ? 409 : 403
    const response = await api.send(routes[operation], sent(operation, LOOSER[operation] ?? {}))
    expect([operation, response.status, response.text]).toEqual([
      operation,
      status,
      expect.stringContaining(code),
    ])
    if (code === 'policy_denied') {
      expect([operation, errorOf(response).message]).toEqual([operation, 'Agent is frozen'])
    }
  }
  const proof = await api.refused(routes.getMembershipProof, 403, 'policy_denied', {
    headers: world.payer.headers,
  })
  expect(proof.message).toBe('Agent is frozen')
  expect(await database.fingerprint()).toEqual(before)
}, 60_000)

test('bulk actions report on each agent: none is unfrozen, and none gets a weaker state', async () => {
  for (const operation of ['bulkFreezeAgents', 'bulkQuarantineAgents', 'bulkRestoreAgents'] as const) {
    const body = { agent_ids: [world.payer.id, world.payee.id] }
    const { results } = await api.ok(routes[operation], { headers: world.adminHeaders, body })
    const code = operation === 'bulkFreezeAgents' ? null : 'conflict'
    for (const result of results) {
      expect([operation, result.status, result.error?.code ?? null]).toEqual([operation, 'frozen', code])
    }
  }
})

test('money that was paid before the freeze is credited', async () => {
  await call('completeSandboxPayment', { body: { outcome: 'success' } })
  const balance = { params: { agent_id: world.payer.id }, headers: world.platform.headers }
  // 975 funded, 101 paid, 50 held, 21 set aside, 487.50 credited.
  expect((await api.ok(routes.getBalance, balance)).available).toBe(1290.5)
})

test('increases of limits wait while the owner is frozen, however long that is', async () => {
  await api.ok(routes.advanceClock, { body: { advance_seconds: 86_400 } })
  const agent = await api.ok(routes.getAgent, {
    params: { agent_id: world.payer.id },
    headers: world.platform.headers,
  })
  expect(agent.policy[PENDING_CONTROL]).toBe(50)
  expect(agent.pending_policy[PENDING_CONTROL]).toMatchObject({ value: 60 })
  const ofOwner = { params: { owner_id: world.owner.id }, headers: world.platform.headers }
  const { pending_bank_account } = await api.ok(routes.getOwner, ofOwner)
  expect(pending_bank_account).not.toBeNull()
}, 60_000)

/** In this order; the one that ends the freeze is last. */
const WORKING: [OperationId, Sent][] = [
  ['updateAgent', { body: { require_human_approval_above: 400, allowed_payees: [] } }],
  ['updateOwnerPolicy', { body: { [PENDING_CONTROL]: 40 } }],
  ['updateMember', { body: { budget_limit: 100 } }],
  ['cancelPendingPolicy', {}],
  ['cancelBankAccountChange', {}],
  ['refundEscrow', {}],
  ['closeAuthorization', {}],
  ['voidAuthorization', {}],
  ['issueCertificate', {}],
  ['rotateCertificate', {}],
  ['setOwnerTier', {}],
  ['deactivateAgent', {}],
  ['freezeOwner', {}],
  ['unfreezeOwner', {}],
]

test('lower limits, cancellations, refunds and credits work while the owner is frozen', async () => {
  const adminHeaders = await world.network.admin()
  const ownerHeaders = await world.network.login(world.owner)
  world = { ...world, adminHeaders, ownerHeaders }
  for (const [operation, change] of WORKING) {
    const response = await api.send(routes[operation], sent(operation, change))
    expect([operation, response.text, response.status]).toEqual([
      operation,
      response.text,
      (routes[operation] as Route).status,
    ])
  }
}, 60_000)
