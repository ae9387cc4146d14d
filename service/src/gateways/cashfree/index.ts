export { cashfreeAddresses } from './addresses.ts'
export { createCashfreeVerifier } from './bank-verifier.ts'
export { cashfreeCheckoutScript } from './checkout-script.ts'
export { type CashfreeGatewayOptions, createCashfreeGateway } from './payment-gateway.ts'
export { type CashfreePayoutOptions, createCashfreePayouts } from './payouts.ts'
/** Cashfree: money in, money out, and whose a bank account is. */
