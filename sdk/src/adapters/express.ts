import type { SellerOptions } from '../seller/options.ts'
import { documentResponse, type PublishedShop } from '../seller/pay-document.ts'
import { createSeller } from '../seller/seller.ts'
import { admit, type NodeRequest } from './node-request.ts'
import { type NodeResponse, sendDocument, sendResponse } from './node-response.ts'

export type { AcceptedPayment, SellerOptions } from '../seller/options.ts'
export { paymentFor } from '../seller/paid-requests.ts'
export { PAY_DOCUMENT_PATH, type PublishedShop } from '../seller/pay-document.ts'

/** The used part of express's request, and the argument of a price function. Name `express.Request` for all of it. */
export interface ExpressRequest extends NodeRequest {
  readonly originalUrl: string
  readonly params: Readonly<Record<string, string | string[]>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

type Middleware<Request> = (
  request: Request,
  response: NodeResponse,
  next: (error?: unknown) => void,
) => Promise<void>

/**
 * Middleware for express 4 and 5 that passes on only paid requests (interface section 4, Pay-per-call). All others get
 * 402, CORS preflights too: put `cors()` before it. Errors are passed to `next`.
 */
export function requirePayment<Request extends ExpressRequest>(
  options: SellerOptions<Request>,
): Middleware<Request> {
  const seller = createSeller(options)
  return async (request, response, next) => {
    let admission
    try {
      admission = await admit(seller, request.originalUrl, request, response)
      if (typeof admission === 'object') sendResponse(response, admission)
    } catch (error) {
      next(error)
      return
    }
    if (admission === 'serve') next()
  }
}

/** A handler for express that publishes what is sold: `app.get(PAY_DOCUMENT_PATH, publishShop(shop))`. */
export function publishShop(shop: PublishedShop): (request: unknown, response: NodeResponse) => void {
  const published = documentResponse(shop)
  return (_request, response) => sendDocument(response, published)
}
