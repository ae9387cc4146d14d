import type { CheckoutScript } from '../payment-gateway.ts'

/** Where Cashfree's interfaces are, and the script of its checkout. */
export interface CashfreeAddresses {
  readonly payments: string
  readonly payouts: string
  readonly verification: string
}

const HOSTS = { sandbox: 'https://sandbox.cashfree.com', production: 'https://api.cashfree.com' } as const

/** `apiUrl` replaces Cashfree's own host: a proxy, or a local server in tests. */
export function cashfreeAddresses(
  environment: 'sandbox' | 'production',
  apiUrl: string | null,
): CashfreeAddresses {
  const host = apiUrl ?? HOSTS[environment]
  return { payments: `${host}/pg`, payouts: `${host}/payout`, verification: `${host}/verification` }
}

const SDK = 'https://sdk.cashfree.com'

/**
 * Cashfree's script and the hosts that its documentation requires. It is assumed, not documented, that it also posts a
 * form to these hosts when it redirects the payer. It must be loaded from Cashfree, so its bytes cannot be pinned.
 */
export function cashfreeCheckoutScript(environment: 'sandbox' | 'production'): CheckoutScript {
  const api = HOSTS[environment]
  const payments =
    environment === 'production' ? 'https://payments.cashfree.com' : 'https://payments-test.cashfree.com'
  return {
    gateway: 'cashfree',
    src: `${SDK}/js/v3/cashfree.js`,
    mode: environment,
    allows: {
      script: [SDK],
      connect: [api],
      frame: [SDK, api, payments],
      form: [api, payments],
    },
  }
}
