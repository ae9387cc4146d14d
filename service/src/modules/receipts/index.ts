/** Signed receipts of payments, made when they are read (docs/decisions/0004-receipts-are-signed-when-read.md). */
export type { ReceiptsContext } from './context.ts'
export { createReceiptTokens } from './receipt-token.ts'
export { serveReceipts } from './routes.ts'
