/** The client of the service, the fetch that pays, and webhooks. Sellers: see `./seller` and the adapters. */
export type { Api } from './api/routes.ts'
export type * from './api/types.ts'
export { EVENT_NAMES } from './api/types.ts'
export type { BudgetLimit, Journal, Purchase, PurchaseChange } from './buyer/journal.ts'
export type { Budget, CallPayment, PayingFetchOptions, TabOptions } from './buyer/options.ts'
export { closeTabs, payingFetch, paymentOf } from './buyer/paying-fetch.ts'
export { priceOf } from './buyer/price-of.ts'
export { PurchaseError, type PurchaseErrorCode, type PurchaseErrorFacts } from './buyer/purchase-error.ts'
export { memoryJournal } from './buyer/stored-journal.ts'
export { newIdempotencyKey } from './client/call.ts'
export { type Client, createClient } from './client/client.ts'
export type { Download } from './client/download.ts'
export type { ErrorDetails } from './client/error-details.ts'
export {
  type AnyBatuaError,
  BatuaError,
  type BatuaErrorCode,
  type BatuaErrorFacts,
  type DetailsOf,
  isBatuaError,
  type Outcome,
  outcome,
} from './client/errors.ts'
export { logIn } from './client/log-in.ts'
export type { CallOptions, ClientOptions, Credentials, Retry, SignedStepUp } from './client/options.ts'
export { type ItemOf, items, type ListMethod, pages } from './client/paging.ts'
export { type StepUpRequest, stepUpFor } from './client/request.ts'
export type { Paise, Rupees } from './protocol/amount.ts'
export {
  decodeChallenge,
  decodeProof,
  decodeVoucherProof,
  encodeChallenge,
  encodeProof,
  encodeVoucherProof,
} from './protocol/headers.ts'
export {
  CHALLENGE_HEADER,
  type PaymentChallenge,
  type PaymentProof,
  PROOF_HEADER,
  TOTAL_HEADER,
  type VoucherProof,
} from './protocol/messages.ts'
export {
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusalReason,
  type WebhookToVerify,
  WebhookVerificationError,
} from './webhooks.ts'
