import type { CheckoutScript } from '../checkout-script.ts'

const SDK = 'https://sdk.cashfree.com'

/**
 * Cashfree's script and the hosts that its documentation requires. It is assumed, not documented, that it also posts a
 * form to these hosts when it redirects the payer. It must be loaded from Cashfree, so its bytes cannot be pinned.
 */
export function cashfreeCheckoutScript(environment: 'sandbox' | 'production'): CheckoutScript {
  const isReal = environment === 'production'
  const api = isReal ? 'https://api.cashfree.com' : 'https://sandbox.cashfree.com'
  const payments = isReal ? 'https://payments.cashfree.com' : 'https://payments-test.cashfree.com'
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
