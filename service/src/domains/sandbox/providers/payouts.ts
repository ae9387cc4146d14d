import { createHmac } from 'node:crypto'
import type { Database, Queryable } from '../../../db/database.ts'
import { readPayoutWebhook } from '../../../gateways/cashfree/webhooks.ts'
import { type GatewayResult, rejected, value } from '../../../gateways/gateway-result.ts'
import type {
  Beneficiary,
  PayoutProvider,
  PayoutRequest,
  ProviderPayout,
} from '../../../gateways/payout-provider.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { behaviourOf, type PayoutBehaviour } from './bank-accounts.ts'
import type { Deliver } from './deliver.ts'
import { insertLateWebhook, sendLateWebhooks } from './late-webhooks.ts'
import { type ApiFault, faultOf, responseOf, tookEffect } from './magic-amounts.ts'
import { payoutAt, type SandboxPayout, webhookDelaysMs } from './payout-state.ts'
import {
  acceptPayout,
  countQuery,
  insertBeneficiary,
  insertPayout,
  lockPayout,
  selectBehaviour,
  selectIdOfAccount,
} from './payout-store.ts'

export interface SandboxPayoutOptions {
  readonly database: Database
  readonly clock: Clock
  /** The webhook secrets. The first signs; all are accepted. */
  readonly webhookSecrets: readonly [string, ...string[]]
  /** Delivers a webhook to our own route, as a provider would over the network. */
  readonly deliver: Deliver
}

export interface SandboxPayouts extends PayoutProvider {
  readonly simulation: {
    /** Sends the webhooks that are due, each once. Returns the number sent. */
    sendWebhooks(now: Date, limit: number): Promise<number>
  }
}

const NAME = 'sandbox-payouts'
const WEBHOOKS_AT_ONCE = 50

/** A payout provider that is stored in the service's own database but behaves like an outside system. */
export function createSandboxPayouts(options: SandboxPayoutOptions): SandboxPayouts {
  const { database, clock, webhookSecrets, deliver } = options
  const [secret] = webhookSecrets
  const sendWebhooks = (now: Date, limit: number) =>
    sendLateWebhooks(database, { gateway: NAME, secret, deliver }, now, limit)
  return {
    name: NAME,
    simulation: { sendWebhooks },
    ensureBeneficiary: beneficiary => ensureBeneficiary(database, secret, beneficiary),
    async send(payout) {
      const now = clock.now()
      const response = await send(database, payout, now)
      // The webhook arrives before the response to the request.
      if (faultOf(payout.amountPaise) === 'webhook_first') await sendWebhooks(now, WEBHOOKS_AT_ONCE)
      return response
    },
    async get(transferId) {
      const payout = await countQuery(database, transferId)
      return value(payout === null ? null : statusOf(payout, clock.now()))
    },
    parseWebhook: (rawBody, headers) => readPayoutWebhook(rawBody, headers, webhookSecrets),
  }
}

async function ensureBeneficiary(
  database: Database,
  secret: string,
  { beneficiaryId, bankAccount, ifsc }: Beneficiary,
): Promise<GatewayResult<{ readonly beneficiaryId: string }>> {
  const accountDigest = createHmac('sha256', secret).update(`${ifsc} ${bankAccount}`).digest()
  const behaviour = behaviourOf(bankAccount).payout
  const created = await insertBeneficiary(database, { beneficiaryId, accountDigest, behaviour })
  if (created) return value({ beneficiaryId })
  // An account is registered once: under this id, or under the id that registered it first.
  const known = await selectIdOfAccount(database, accountDigest)
  if (known !== null) return value({ beneficiaryId: known })
  return rejected('beneficiary_id_already_exists', 'There is a beneficiary of this id with another account')
}

async function send(
  database: Database,
  payout: PayoutRequest,
  now: Date,
): Promise<GatewayResult<ProviderPayout>> {
  const behaviour = await selectBehaviour(database, payout.beneficiaryId)
  if (behaviour === null) return rejected('beneficiary_not_found', 'There is no such beneficiary')
  if (behaviour === 'refused') return rejected('transfer_rejected', 'The transfer is refused')
  return database.inTransaction(async tx => {
    const fault = faultOf(payout.amountPaise) ?? faultByAccount(behaviour)
    const fresh: SandboxPayout = {
      transferId: payout.transferId,
      providerPayoutId: `sandbox_${newUuid(now)}`,
      amountPaise: payout.amountPaise,
      behaviour,
      acceptedAt: fault === null || tookEffect(fault) ? now : null,
      asked: 0,
    }
    if (await insertPayout(tx, fresh)) {
      if (fresh.acceptedAt !== null) await scheduleWebhooks(tx, fresh, now)
      const response = fault === null ? null : responseOf(fault)
      return response ?? value(statusOf(fresh, now))
    }
    return value(await resend(tx, payout.transferId, now))
  })
}

/** The same id again: a fault is met only once, and an accepted payout is paid only once. */
async function resend(tx: Queryable, transferId: string, now: Date): Promise<ProviderPayout> {
  const known = await lockPayout(tx, transferId)
  assert(known !== null, 'payouts are never removed')
  if (known.acceptedAt !== null) return statusOf(known, now)
  await acceptPayout(tx, transferId, now)
  const accepted = { ...known, acceptedAt: now }
  await scheduleWebhooks(tx, accepted, now)
  return statusOf(accepted, now)
}

function faultByAccount(behaviour: PayoutBehaviour): ApiFault | null {
  if (behaviour === 'duplicate_id') return 'already_exists'
  return behaviour === 'response_lost' || behaviour === 'request_lost' ? behaviour : null
}

function statusOf(payout: SandboxPayout, now: Date): ProviderPayout {
  const { acceptedAt } = payout
  assert(acceptedAt !== null, 'only an accepted payout has a status')
  return payoutAt({ ...payout, acceptedAt }, now)
}

async function scheduleWebhooks(tx: Queryable, payout: SandboxPayout, now: Date): Promise<void> {
  for (const delayMs of webhookDelaysMs(payout.behaviour)) {
    const dueAt = new Date(now.getTime() + delayMs)
    const { status, utr, reason } = statusOf(payout, dueAt)
    const body = JSON.stringify({
      type: `TRANSFER_${status.toUpperCase()}`,
      event_time: dueAt.toISOString(),
      data: {
        transfer_id: payout.transferId,
        status: status.toUpperCase(),
        status_code: reason,
        transfer_utr: utr,
      },
    })
    await insertLateWebhook(tx, { gateway: NAME, body, dueAt })
  }
}
