import { getReceipt, verifyReceipt } from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import { checkReceipt } from './check-receipt.ts'
import type { ReceiptsContext } from './find-receipt.ts'
import { readReceipt } from './read-receipt.ts'

export function serveReceipts(serve: Serve, context: ReceiptsContext): void {
  serve(getReceipt, ({ caller, params }) => readReceipt(context, caller, params.receipt_id))
  serve(verifyReceipt, ({ caller, params }) => checkReceipt(context, caller, params.receipt_id))
}
