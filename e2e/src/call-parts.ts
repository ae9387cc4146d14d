import type { Sent } from './api.ts'
import { newAuthenticator } from './authenticator.ts'
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

/** Within the longest time also where a test has moved the clock by days. */
export function in29Days(): string {
  return new Date(Date.now() + 29 * 86_400_000).toISOString()
}

/** A passkey that nobody has enrolled. */
export const STRANGE = newAuthenticator('http://localhost')

export function ofPasskey(): Sent {
  return { params: { passkey_id: 'pky_01kb7q3f8meg5tz4x9wc2n6a01' } }
}

export function ofApproval({ approval }: World): Sent {
  return { params: { approval_id: approval.approval_id ?? '' } }
}

export function ofEscrow({ escrow }: World): Sent {
  return { params: { escrow_id: escrow.escrow_id ?? '' } }
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
