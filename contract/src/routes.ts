import * as adminActivity from './admin-activity.ts'
import * as adminAgents from './admin-agents.ts'
import * as adminChecks from './admin-checks.ts'
import * as adminMoney from './admin-money.ts'
import * as adminOverview from './admin-overview.ts'
import * as adminOwners from './admin-owners.ts'
import * as agentStates from './agent-states.ts'
import * as agents from './agents.ts'
import * as allowances from './allowances.ts'
import * as approvals from './approvals.ts'
import * as audit from './audit.ts'
import * as authorizations from './authorizations.ts'
import * as certificates from './certificates.ts'
import * as connectedApps from './connected-apps.ts'
import * as discovery from './discovery.ts'
import * as escrow from './escrow.ts'
import * as evaluate from './evaluate.ts'
import * as exposure from './exposure.ts'
import * as gateway from './gateway.ts'
import * as handles from './handles.ts'
import * as health from './health.ts'
import * as identity from './identity.ts'
import * as invitations from './invitations.ts'
import * as keys from './keys.ts'
import * as liveUpdates from './live-updates.ts'
import * as notifications from './notifications.ts'
import * as openSessions from './open-sessions.ts'
import * as organizations from './organizations.ts'
import * as ownerMoney from './owner-money.ts'
import * as owners from './owners.ts'
import * as pageData from './page-data.ts'
import * as passkeys from './passkeys.ts'
import * as payments from './payments.ts'
import * as payouts from './payouts.ts'
import * as platforms from './platforms.ts'
import * as policyHistory from './policy-history.ts'
import * as policyRoutes from './policy-routes.ts'
import * as receipts from './receipts.ts'
import { TAGS } from './reference.ts'
import * as requestLog from './request-log.ts'
import * as risk from './risk.ts'
import * as riskEvidence from './risk-evidence.ts'
import type { MediaType, Route } from './route.ts'

import * as sandbox from './sandbox.ts'
import * as sessions from './sessions.ts'
import * as settlements from './settlements.ts'
import * as spending from './spending.ts'
import * as statements from './statements.ts'
import * as tiers from './tiers.ts'
import * as transactions from './transactions.ts'
import * as wallets from './wallets.ts'
import * as webhooks from './webhooks.ts'
import * as x402 from './x402.ts'

type RoutesAmong<Exports> = {
  readonly [Name in keyof Exports as Exports[Name] extends Route ? Name : never]: Exports[Name]
}

/** The routes among what modules export, in the order of their tags and then by name. */
function routesAmong<Exports extends object>(exports: Exports): RoutesAmong<Exports> {
  const found = Object.entries(exports).filter(isRoute).toSorted(inOrder)
  return Object.fromEntries(found) as RoutesAmong<Exports>
}

type Named = readonly [name: string, route: Route]

function isRoute(entry: readonly [string, unknown]): entry is [string, Route] {
  const [, value] = entry
  return typeof value === 'object' && value !== null && 'operationId' in value
}

const TAG_ORDER = Object.keys(TAGS)

function inOrder([leftName, left]: Named, [rightName, right]: Named): number {
  const byTag = TAG_ORDER.indexOf(left.tag) - TAG_ORDER.indexOf(right.tag)
  return byTag === 0 ? (leftName < rightName ? -1 : 1) : byTag
}

/** Every route of the service by its operationId: a module that is named here exports its routes. */
export const routes = routesAmong({
  ...platforms,
  ...owners,
  ...invitations,
  ...agents,
  ...handles,
  ...agentStates,
  ...policyRoutes,
  ...policyHistory,
  ...evaluate,
  ...exposure,
  ...wallets,
  ...payouts,
  ...payments,
  ...approvals,
  ...allowances,
  ...authorizations,
  ...connectedApps,
  ...escrow,
  ...transactions,
  ...spending,
  ...ownerMoney,
  ...pageData,
  ...statements,
  ...receipts,
  ...identity,
  ...discovery,
  ...certificates,
  ...audit,
  ...organizations,
  ...webhooks,
  ...x402,
  ...liveUpdates,
  ...requestLog,
  ...sessions,
  ...openSessions,
  ...passkeys,
  ...notifications,
  ...adminOverview,
  ...adminActivity,
  ...adminOwners,
  ...adminAgents,
  ...tiers,
  ...settlements,
  ...adminMoney,
  ...adminChecks,
  ...risk,
  ...riskEvidence,
  ...keys,
  ...gateway,
  ...sandbox,
  ...health,
})

export type Routes = typeof routes
export type OperationId = keyof Routes
/** The routes that respond with a stream of events. */
export type EventStreamOperationId = {
  [Name in OperationId]: Routes[Name] extends { readonly produces: readonly ['text/event-stream'] }
    ? Name
    : never
}[OperationId]
/** The routes that respond with a file in one of several formats. */
export type DownloadOperationId = {
  [Name in OperationId]: Routes[Name] extends { readonly produces: readonly MediaType[] }
    ? Exclude<Name, EventStreamOperationId>
    : never
}[OperationId]
