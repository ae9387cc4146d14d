export type { BuyerDemand } from '../protocol/messages.ts'
export type { BuyerRefusalReason, KnownBuyer } from './known-buyers.ts'
export { memoryNonceStore } from './memory-nonce-store.ts'
export { memoryTabStore } from './memory-tab-store.ts'
export type { NonceStore } from './nonce-store.ts'
export type {
  Acceptance,
  AcceptedPayment,
  Price,
  PriceFacts,
  RefusalReason,
  SellerOptions,
  SellerRequest,
  SellerResponse,
  TabOptions,
  X402Scheme,
} from './options.ts'
export { paymentFor } from './paid-requests.ts'
export {
  PAY_DOCUMENT_PATH,
  type PayDocument,
  type PublishedRoute,
  type PublishedShop,
  payDocument,
  type SoldRoute,
} from './pay-document.ts'
export { type NonceRedis, redisNonceStore } from './redis-nonce-store.ts'
export { redisTabStore, type TabRedis } from './redis-tab-store.ts'
export { createSeller, type Seller } from './seller.ts'
export { type SqlDatabase, type SqlStoreOptions, sqlNonceStore } from './sql-nonce-store.ts'
export { sqlTabStore } from './sql-tab-store.ts'
export type { ExclusiveTabStore, StoredTabs, TabStore } from './tab-store.ts'
