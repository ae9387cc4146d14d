/** Cashfree: payments, payouts and bank verification. */

export { createCashfreeVerifier } from './bank-verifier.ts'
export { cashfreeAddresses, cashfreeCheckoutScript } from './hosts.ts'
export { type CashfreeGatewayOptions, createCashfreeGateway } from './payment-gateway.ts'
export { type CashfreePayoutOptions, createCashfreePayouts } from './payouts.ts'
