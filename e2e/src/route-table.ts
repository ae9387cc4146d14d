import { type OperationId, type Route, routes } from '@batua/contract'
import type { Headers } from './api.ts'
import { BY_PAYEE } from './valid-calls.ts'
import type { World } from './world.ts'

/** Every kind of credential (contract section 2). */
export const KINDS = ['platform', 'agent', 'owner', 'admin'] as const
export type Kind = (typeof KINDS)[number]

export type Row = [OperationId, Route]

const table = Object.entries(routes) as Row[]

/** Routes that need a credential, and those that need none. */
export const guarded = table.filter(([, route]) => route.who.length > 0)
export const open = table.filter(([, route]) => route.who.length === 0)

export function takes(route: Route, kind: Kind): boolean {
  return route.who.includes(kind)
}

/** These answer well only to what a valid call cannot know beforehand: a signature, a code. */
export const NEEDS_MORE: readonly OperationId[] = ['receiveGatewayNotice', 'verifyOtp', 'verifyAdminOtp']

/** A kind of credential that a route takes, this one when it does; null for a public route. */
export function kindFor(route: Route, preferred: Kind): Kind | null {
  return takes(route, preferred) ? preferred : (route.who[0] ?? null)
}

/** What a session may be used for only by a page of the service: everything but reading. */
export function isUnsafe({ method }: Route): boolean {
  return method !== 'GET'
}

/** Whose id stands in an address, by the name of the parameter. */
export const PREFIX: Readonly<Record<string, string>> = {
  platform_id: 'plt',
  owner_id: 'own',
  agent_id: 'agt',
  funding_id: 'fund',
  payment_id: 'pay',
  receipt_id: 'rcp',
  cert_id: 'cert',
  approval_id: 'apr',
  escrow_id: 'esc',
  alert_id: 'alr',
  org_id: 'org',
  txn_id: 'txn',
  delivery_id: 'whd',
}

/** The parameters of a route's address that name a thing which belongs to somebody. */
export function idsIn(route: Route): string[] {
  return Object.keys(route.params?.properties ?? {}).filter(name => name in PREFIX)
}

/** The world's own credential of this kind, the one that the route's valid call wants. */
export function ownHeaders(world: World, operation: OperationId, kind: Kind): Headers {
  switch (kind) {
    case 'platform':
      return world.platform.headers
    case 'agent':
      return BY_PAYEE.includes(operation) ? world.payee.headers : world.payer.headers
    case 'owner':
      return world.ownerHeaders
    case 'admin':
      return world.adminHeaders
  }
}

/** The same of somebody who has nothing to do with the world. No administrator is a stranger. */
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
