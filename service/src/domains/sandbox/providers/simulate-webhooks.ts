import type { Database } from '../../../db/database.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import type { Deliver } from './deliver.ts'
import { insertLateWebhook, sendLateWebhooks } from './late-webhooks.ts'
import { newPayment } from './new-payment.ts'
import { type SandboxOrder, type SandboxPayment, selectOrder } from './store.ts'
import { type DisputeStatus, disputeBody, paymentBody, signWebhook, type WebhookType } from './webhooks.ts'

export interface SimulationOptions {
  readonly database: Database
  readonly clock: Clock
  readonly webhookSecrets: readonly [string, ...string[]]
  readonly deliver: Deliver
}

/** The webhooks that our route receives, and what the network does to them. */
export interface WebhookSimulation {
  /** Sends a webhook about a payment. Each call sends one more. */
  notify(type: WebhookType, payment: SandboxPayment): Promise<void>
  /** Sends the webhook some minutes later. */
  notifyLate(type: WebhookType, payment: SandboxPayment): Promise<void>
  /** Sends the webhook reserialised: the signature covers other bytes. */
  notifyReserialised(type: WebhookType, payment: SandboxPayment): Promise<void>
  /** Signs the webhook with the oldest secret that is still accepted. */
  notifyWithOldSecret(type: WebhookType, payment: SandboxPayment): Promise<void>
  /** Sends a webhook about a chargeback of a payment. */
  notifyDispute(disputeId: string, status: DisputeStatus, payment: SandboxPayment): Promise<void>
  /** A success webhook for an unpaid order, signed with a key that is not the gateway's. */
  forge(orderId: string): Promise<void>
  /** A correctly signed webhook about an order, of an unknown type. */
  notifyUnknownType(orderId: string): Promise<void>
  /** Sends the webhooks that are due, each once. Returns the number sent. */
  sendWebhooks(now: Date, limit: number): Promise<number>
}

export const SANDBOX_GATEWAY = 'sandbox'
const LATE_MS = 5 * 60_000

export function openWebhookSimulation({
  database,
  clock,
  webhookSecrets,
  deliver,
}: SimulationOptions): WebhookSimulation {
  const [secret] = webhookSecrets
  const sign = (body: string, key = secret) => signWebhook(body, key, clock.now())

  async function orderOf(orderId: string): Promise<SandboxOrder> {
    const order = await selectOrder(database, orderId)
    assert(order !== null, 'the sandbox gateway knows the order')
    return order
  }
  async function bodyOf(type: WebhookType, payment: SandboxPayment): Promise<string> {
    return paymentBody(type, await orderOf(payment.orderId), payment, clock.now())
  }
  async function bodyWithoutPayment(type: WebhookType, orderId: string): Promise<string> {
    const order = await orderOf(orderId)
    const now = clock.now()
    return paymentBody(type, order, newPayment(order, now, 'success', { method: 'upi' }), now)
  }

  return {
    notify: async (type, payment) => deliver(sign(await bodyOf(type, payment))),
    async notifyLate(type, payment) {
      const body = await bodyOf(type, payment)
      const dueAt = new Date(clock.now().getTime() + LATE_MS)
      await insertLateWebhook(database, { gateway: SANDBOX_GATEWAY, body, dueAt })
    },
    async notifyReserialised(type, payment) {
      const body = await bodyOf(type, payment)
      await deliver({ ...sign(body), body: JSON.stringify(JSON.parse(body), null, 2) })
    },
    notifyWithOldSecret: async (type, payment) =>
      deliver(sign(await bodyOf(type, payment), webhookSecrets.at(-1))),
    notifyDispute: (disputeId, status, payment) =>
      deliver(sign(disputeBody(disputeId, status, payment, clock.now()))),
    forge: async orderId =>
      deliver(sign(await bodyWithoutPayment('PAYMENT_SUCCESS_WEBHOOK', orderId), 'forged')),
    notifyUnknownType: async orderId =>
      deliver(sign(await bodyWithoutPayment('PAYMENT_REVIEWED_WEBHOOK', orderId))),
    sendWebhooks: (now, limit) =>
      sendLateWebhooks(database, { gateway: SANDBOX_GATEWAY, secret, deliver }, now, limit),
  }
}

/** The id of a dispute. It links the webhooks of one dispute, and distinguishes disputes. */
export function newDisputeId(now: Date): string {
  return `dispute_${newUuid(now)}`
}
