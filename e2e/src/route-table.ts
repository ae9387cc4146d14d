import { type OperationId, type Route, routes } from '@batua/contract'
import type { Headers } from './api.ts'
import type { World } from './world.ts'

/** Every kind of credential (contract section 2). */
export const KINDS = ['platform', 'agent', 'owner', 'admin'] as const
export type Kind = (typeof KINDS)[number]

export type Row = [OperationId, Route]

const table = Object.entries(routes) as Row[]

/** Routes with credentials, and public ones. */
export const guarded = table.filter(([, route]) => route.who.length > 0)
export const open = table.filter(([, route]) => route.who.length === 0)

export function takes(route: Route, kind: Kind): boolean {
  return route.who.includes(kind)
}

/** These succeed only with what a valid call cannot know in advance: a signature, a code, a web server of the agent. */
export const NEEDS_MORE: readonly OperationId[] = [
  'receiveGatewayWebhook',
  'verifyOtp',
  'verifyAdminOtp',
  'createPasskey',
  'deletePasskey',
  'keepPasskey',
  'requestStepUp',
  'challengeApproval',
  'logInByPasskey',
  'getConnectRequest',
  'allowConnectRequest',
  'denyConnectRequest',
  'registerListing',
  'deleteListing',
]

/** Routes for the payee of the world's payment, who is also the attestor; the payer calls all others. */
export const BY_PAYEE: readonly OperationId[] = [
  'refundPayment',
  'verifyTransaction',
  'restoreNonce',
  'verifyX402Payment',
  'settleX402Payment',
  'attestEscrow',
  'captureAuthorization',
  'voidAuthorization',
]

/** Routes whose success changes their world, so that a test of them needs its own. */
export const DESTRUCTIVE: readonly OperationId[] = [
  'updatePlatform',
  'deletePlatform',
  'rotatePlatformSecret',
  'rotateWebhookSecret',
  'submitKyc',
  'cancelBankAccountChange',
  'acceptInvitation',
  'declineInvitation',
  'updateAgent',
  'deactivateAgent',
  'pauseAgent',
  'pauseAllAgents',
  'rotateAgentKey',
  'logOut',
  'logOutPlatform',
  'endSession',
  'endOtherSessions',
  'endPushSubscription',
  'cancelPendingPolicy',
  'updateOwnerPolicy',
  'cancelOwnerPendingPolicy',
  'setOwnerTier',
  'freezeOwner',
  'unfreezeOwner',
  'bulkFreezeAgents',
  'bulkQuarantineAgents',
  'bulkRestoreAgents',
  'approve',
  'reject',
  'endAllowance',
  'endConnectedApp',
  'releaseEscrow',
  'refundEscrow',
  'attestEscrow',
  'captureAuthorization',
  'voidAuthorization',
  'closeAuthorization',
  'reviewRiskAlert',
  'revokeCertificate',
  'rotateCertificate',
  'addMember',
  'removeMember',
  'createPasskey',
  'deletePasskey',
  'keepPasskey',
  'requestStepUp',
  'challengeApproval',
  'logInByPasskey',
]

/** A kind of credential that a route accepts, this one if it does; null for a public route. */
export function kindFor(route: Route, preferred: Kind): Kind | null {
  return takes(route, preferred) ? preferred : (route.who[0] ?? null)
}

/** Whether a session may call it only from a page of the service: everything except reading. */
export function isUnsafe({ method }: Route): boolean {
  return method !== 'GET'
}

/** The id prefix of each path parameter. */
export const PREFIX: Readonly<Record<string, string>> = {
  platform_id: 'plt',
  owner_id: 'own',
  agent_id: 'agt',
  funding_id: 'fund',
  payment_id: 'pay',
  receipt_id: 'rcp',
  cert_id: 'cert',
  allowance_id: 'alw',
  listing_id: 'lst',
  app_id: 'app',
  approval_id: 'apr',
  escrow_id: 'esc',
  authorization_id: 'ath',
  alert_id: 'alr',
  org_id: 'org',
  txn_id: 'txn',
  delivery_id: 'whd',
  session_id: 'ssn',
  passkey_id: 'pky',
  subscription_id: 'psub',
}

/** The path parameters of a route that name a thing with an owner. */
export function idsIn(route: Route): string[] {
  return Object.keys(route.params?.properties ?? {}).filter(name => name in PREFIX)
}

/** The world's credential of this kind, as the route's valid call needs it. */
export function ownHeaders(world: World, operation: OperationId, kind: Kind): Headers {
  switch (kind) {
    case 'platform':
      return operation === 'logOutPlatform' ? world.platformSession : world.platform.headers
    case 'agent':
      return BY_PAYEE.includes(operation) ? world.payee.headers : world.payer.headers
    case 'owner':
      return world.ownerHeaders
    case 'admin':
      return world.adminHeaders
  }
}

/** The same of a stranger, who has no relation to the world. No administrator is a stranger. */
export function strangersHeaders({ stranger }: World, kind: Exclude<Kind, 'admin'>): Headers {
  switch (kind) {
    case 'platform':
      return stranger.platform.headers
    case 'agent':
      return stranger.agent.headers
    case 'owner':
      return stranger.ownerHeaders
  }
}
