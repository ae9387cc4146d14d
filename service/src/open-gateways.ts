import type { CashfreeConfig, Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import {
  createSandboxBankVerifier,
  createSandboxGateway,
  createSandboxPayouts,
  deliverOverHttp,
  type SandboxGateway,
  type SandboxPayouts,
} from './domains/sandbox/index.ts'
import type { BankVerifier } from './gateways/bank-verifier.ts'
import {
  cashfreeAddresses,
  cashfreeCheckoutScript,
  createCashfreeGateway,
  createCashfreePayouts,
  createCashfreeVerifier,
} from './gateways/cashfree/index.ts'
import type { CheckoutScript, PaymentGateway } from './gateways/payment-gateway.ts'
import type { PayoutProvider } from './gateways/payout-provider.ts'
import type { Clock } from './kernel/clock.ts'
import type { Logger } from './kernel/logger.ts'
import type { Vault } from './kernel/secrets.ts'
import type { Tracing } from './kernel/tracing.ts'

/** The outside systems: the payment gateway, the payout provider and the bank verifier. */
export interface ExternalServices {
  readonly payments: PaymentGateway
  readonly payouts: PayoutProvider
  readonly verifier: BankVerifier
  /** The gateway's own script of the checkout page; null: there is none. */
  readonly checkoutScript: CheckoutScript | null
  /** The sandbox's gateway and payout provider, with the simulation of their events; null: they are real. */
  readonly sandbox: { readonly payments: SandboxGateway; readonly payouts: SandboxPayouts } | null
}

interface Services {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Logger
  /** Absent or null: calls of gateways are not traced. */
  readonly tracing?: Tracing | null
}

/** The name on pages and in payment apps. */
export const PRODUCT_NAME = 'Batua'

/** `ownUrl` is the address of this process, to which the sandbox sends its webhooks as a gateway would. */
export function openGateways(config: Config, services: Services, ownUrl: () => string): ExternalServices {
  return config.gateway.kind === 'sandbox'
    ? openSandbox(services, ownUrl)
    : openCashfree(config.gateway, config.baseUrl, services.tracing ?? null)
}

function openSandbox({ database, clock, vault, logger }: Services, ownUrl: () => string): ExternalServices {
  const secretOf = (name: string) => vault.blindIndex('webhooks', name).toString('base64')
  const payments = createSandboxGateway({
    database,
    clock,
    webhookSecrets: [secretOf('sandbox gateway'), secretOf('sandbox gateway before')],
    deliver: deliverOverHttp(ownUrl, logger),
    merchantName: PRODUCT_NAME,
  })
  const payouts = createSandboxPayouts({
    database,
    clock,
    webhookSecrets: [secretOf('sandbox payouts')],
    deliver: deliverOverHttp(ownUrl, logger, 'sandbox-payouts'),
  })
  const verifier = createSandboxBankVerifier({ database, clock, vault })
  return { payments, payouts, verifier, checkoutScript: null, sandbox: { payments, payouts } }
}

function openCashfree(config: CashfreeConfig, baseUrl: string, tracing: Tracing | null): ExternalServices {
  const addresses = cashfreeAddresses(config.environment, config.apiUrl)
  const payments = createCashfreeGateway({
    tracing,
    baseUrl: addresses.payments,
    clientId: config.clientId,
    clientSecret: config.clientSecret,
    apiVersion: config.apiVersion,
    webhookSecrets: [config.clientSecret, ...config.previousClientSecrets],
    notifyUrl: baseUrl.startsWith('https:') ? `${baseUrl}/v1/gateway/cashfree/webhooks` : null,
    upiCollect: config.upiCollect,
  })
  const payouts = createCashfreePayouts({
    tracing,
    baseUrl: addresses.payouts,
    clientId: config.payoutClientId,
    clientSecret: config.payoutClientSecret,
    apiVersion: config.payoutApiVersion,
    webhookSecrets: [config.payoutClientSecret, ...config.previousPayoutClientSecrets],
  })
  const verifier = createCashfreeVerifier({
    tracing,
    baseUrl: addresses.verification,
    clientId: config.verificationClientId,
    clientSecret: config.verificationClientSecret,
    apiVersion: null,
  })
  return {
    payments,
    payouts,
    verifier,
    checkoutScript: cashfreeCheckoutScript(config.environment),
    sandbox: null,
  }
}
