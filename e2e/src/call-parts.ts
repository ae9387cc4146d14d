import { randomUUID } from 'node:crypto'
import { EXAMPLE_PUBLIC_KEY } from '@batua/contract'
import type { Sent } from './api.ts'
import { newAuthenticator } from './authenticator.ts'
import { newHandle } from './network.ts'
import type { World } from './world.ts'

/* Parts of valid calls: the parameters that name something of a world, and bodies that several routes take. */

export function ofPlatform({ platform }: World): Sent {
  return { params: { platform_id: platform.id } }
}

export function ofOwner({ owner }: World): Sent {
  return { params: { owner_id: owner.id } }
}

export function ofOwnerSession({ owner }: World): Sent {
  return { query: { owner_id: owner.id } }
}

export function ofPayer({ payer }: World): Sent {
  return { params: { agent_id: payer.id } }
}

/** After the world was made, by the service's clock: within the longest time also where a test has moved it by days. */
export function in29Days({ payment }: World): string {
  return new Date(Date.parse(payment.created_at) + 29 * 86_400_000).toISOString()
}

/** Every filter of the list of agents. */
export function ofListedAgents({ owner, payer: { handle } }: World): Sent {
  return { query: { status: 'active', owner_id: owner.id, handle, search: handle.slice(0, 5), limit: 5 } }
}

/** A passkey that nobody has enrolled. */
export const STRANGE = newAuthenticator('http://localhost')

export function ofPasskey(): Sent {
  return { params: { passkey_id: 'pky_01kb7q3f8meg5tz4x9wc2n6a01' } }
}

export function ofApproval({ approval }: World): Sent {
  return { params: { approval_id: approval.approval_id ?? '' } }
}

/** A request of no client: a genuine one needs the browser that the client sent here. */
function ofConnectRequest(): Sent {
  return { params: { request_id: 'hUJ3wNVdHPCwmoMqLIDp0fnkKQUTjsqy8kZ5dKxTq0A' } }
}

function ofAllowedRequest({ payer }: World): Sent {
  const terms = { scopes: ['wallet:read'], daily: 100, per_tx: 50, expires_in_days: 7 }
  return { ...ofConnectRequest(), body: { agent_id: payer.id, ...terms } }
}

export function ofTier(): Sent {
  const limits = { per_tx: 100_000, daily: 1_000_000, monthly: 10_000_000 }
  return { params: { tier: 'tier3' }, body: { ...limits, escrow_above: 50_000, approval_above: 500_000 } }
}

export function ofEscrow({ escrow }: World): Sent {
  return { params: { escrow_id: escrow.escrow_id ?? '' } }
}

export function ofAuthorization({ authorization }: World): Sent {
  return { params: { authorization_id: authorization.authorization_id ?? '' } }
}

export function ofNewAuthorization(world: World): Sent {
  return {
    ...ofPayer(world),
    body: {
      to: world.payee.handle,
      amount: 3,
      expires_in: 3600,
      reference: 'session-1',
      idempotency_key: newHandle(),
      voucher_key: EXAMPLE_PUBLIC_KEY,
      context: { purpose: 'Many small calls' },
    },
  }
}

export function ofOrganization({ organization }: World): Sent {
  return { params: { org_id: organization.id } }
}

export function ofMember({ organization, payee }: World): Sent {
  return { params: { org_id: organization.id, agent_id: payee.id } }
}

export function ofCertificate({ certificate }: World): Sent {
  return { params: { cert_id: certificate.id } }
}

export function bothAgents({ payer, payee }: World): Sent {
  return { body: { agent_ids: [payer.id, payee.id] } }
}

export function ofReceipt({ payment }: World): Sent {
  return { params: { receipt_id: payment.receipt_id ?? '' } }
}

export function policy({ payee, stranger }: World) {
  return {
    spend_limit_per_tx: 5000,
    spend_limit_hourly: 5000,
    spend_limit_daily: 5000,
    spend_limit_monthly: 5000,
    allowed_payees: [payee.id],
    blocked_payee_agents: [stranger.agent.id],
    per_counterparty_daily_limit: 5000,
    max_counterparties_per_hour: 5,
    require_escrow_above: 5000,
    require_human_approval_above: 5000,
  }
}

/** A payment of x402 for a nonce, and the price that it is for. */
export function ofX402(
  { payer, payee }: World,
  {
    paymentId,
    nonce,
    service,
  }: { readonly paymentId: string; readonly nonce: string; readonly service: string },
): Sent {
  const price = {
    ...{ scheme: 'exact', network: 'batua:inr-sandbox', amount: '200', asset: 'INR', payTo: payee.handle },
    maxTimeoutSeconds: 600,
    extra: { nonce, service, paymentFlow: 'upfront' },
  }
  const payload = { version: 1, transactionId: paymentId, fromAgent: payer.id, nonce, attempt: 'request-1' }
  const paymentPayload = { x402Version: 2, accepted: price, payload }
  return { body: { x402Version: 2, paymentPayload, paymentRequirements: price } }
}

/** The world's payment has no nonce of x402, so it is refused, with status 200. */
export function ofUnpaidX402(world: World): Sent {
  const { origin: service } = new URL(world.api.address)
  return ofX402(world, { paymentId: world.payment.payment_id ?? '', nonce: randomUUID(), service })
}

/** The calls of connected apps. */
export const APP_CALLS = {
  listConnectedApps: ({ payer }: World): Sent => ({ query: { agent_id: payer.id, limit: 5 } }),
  endConnectedApp: ({ appId }: World): Sent => ({ params: { app_id: appId } }),
  getConnectRequest: ofConnectRequest,
  allowConnectRequest: ofAllowedRequest,
  denyConnectRequest: ofConnectRequest,
} as const

/** The calls about what agents sell. */
export const DISCOVERY_CALLS = {
  registerListing: (world: World): Sent => ({ ...ofPayer(world), body: { origin: 'http://127.0.0.1:9' } }),
  listListings: (world: World): Sent => ({ ...ofPayer(world), query: { limit: 5 } }),
  deleteListing: ({ payer }: World): Sent => ({
    params: { agent_id: payer.id, listing_id: 'lst_01kb7q3f8meg5tz4x9wc2n6a01' },
  }),
  listSellers: (): Sent => ({ query: { query: 'weather', limit: 5 } }),
} as const
