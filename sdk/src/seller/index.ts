export { memoryNonceStore } from './memory-nonce-store.ts'
export type { NonceStore } from './nonce-store.ts'
export type {
  Acceptance,
  AcceptedPayment,
  Price,
  RefusalReason,
  SellerAnswer,
  SellerOptions,
  SellerRequest,
} from './options.ts'
export { paymentFor } from './paid-requests.ts'
export { type NonceRedis, redisNonceStore } from './redis-nonce-store.ts'
export { createSeller, type Seller } from './seller.ts'
export { type SqlDatabase, type SqlNonceStoreOptions, sqlNonceStore } from './sql-nonce-store.ts'
