import { type Clock, systemClock } from '../../../kernel/clock.ts'
import { cashfreeAddresses } from '../hosts.ts'
import type { CashfreeAccess } from '../http.ts'
import type { CashfreeGatewayOptions } from '../payment-gateway.ts'
import type { CashfreePayoutOptions } from '../payouts.ts'
import { createFakePayments, type FakePayments } from './fake-payments.ts'
import { createFakePayouts, type FakePayouts } from './fake-payouts.ts'
import { type FakeServer, startFakeServer } from './fake-server.ts'
import { createFakeVerification, type FakeVerification } from './fake-verification.ts'
import { type FakeWebhook, makeFakeWebhook, type WebhookOptions } from './fake-webhooks.ts'

/**
 * Cashfree on this machine: a server that speaks its protocol as its documents have it, checks strictly what it is
 * sent, and fails by script. No part of the service but tests uses it.
 */
export interface FakeCashfree extends FakeServer {
  readonly payments: FakePayments
  readonly payouts: FakePayouts
  readonly verification: FakeVerification
  /** Ways to reach it, each with the right credentials. */
  readonly gatewayOptions: CashfreeGatewayOptions
  readonly payoutOptions: CashfreePayoutOptions
  readonly verifierOptions: CashfreeAccess
  webhook(type: string, data: unknown, options?: Partial<WebhookOptions>): FakeWebhook
}

export const FAKE_SECRETS = { payments: 'cfsk_ma_test_payments', payouts: 'cfsk_ma_test_payouts' } as const

const PAYMENTS = { clientId: 'TEST_PAYMENTS', clientSecret: FAKE_SECRETS.payments }
const PAYOUTS = { clientId: 'TEST_PAYOUTS', clientSecret: FAKE_SECRETS.payouts }

export interface FakeCashfreeOptions {
  readonly clock?: Clock
  /** Short, so that the time-out of a missing response comes soon. */
  readonly timeoutMs?: number
  readonly upiCollect?: boolean
}

export async function startFakeCashfree({
  clock = systemClock(),
  timeoutMs = 400,
  upiCollect = true,
}: FakeCashfreeOptions = {}): Promise<FakeCashfree> {
  const [payments, payouts, verification] = [
    createFakePayments(clock),
    createFakePayouts(),
    createFakeVerification(),
  ]
  const server = await startFakeServer([
    { prefix: '/pg', credentials: PAYMENTS, needsVersion: true, handle: payments.handle },
    { prefix: '/payout', credentials: PAYOUTS, needsVersion: true, handle: payouts.handle },
    { prefix: '/verification', credentials: PAYOUTS, needsVersion: false, handle: verification.handle },
  ])
  const addresses = cashfreeAddresses('sandbox', server.url)
  return {
    ...server,
    payments,
    payouts,
    verification,
    gatewayOptions: {
      ...PAYMENTS,
      baseUrl: addresses.payments,
      apiVersion: '2025-01-01',
      timeoutMs,
      webhookSecrets: [FAKE_SECRETS.payments],
      notifyUrl: 'https://pay.example.com/v1/gateway/cashfree/webhooks',
      upiCollect,
    },
    payoutOptions: {
      ...PAYOUTS,
      baseUrl: addresses.payouts,
      apiVersion: '2024-01-01',
      timeoutMs,
      webhookSecrets: [FAKE_SECRETS.payouts],
    },
    verifierOptions: { ...PAYOUTS, baseUrl: addresses.verification, apiVersion: null, timeoutMs },
    webhook: (type, data, options = {}) =>
      makeFakeWebhook(type, data, { secret: FAKE_SECRETS.payments, now: clock.now(), ...options }),
  }
}
