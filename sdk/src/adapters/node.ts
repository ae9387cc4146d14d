import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { errorReporterOf } from '../seller/error-reporter.ts'
import type { SellerOptions } from '../seller/options.ts'
import { documentResponse, PAY_DOCUMENT_PATH, type PublishedShop } from '../seller/pay-document.ts'
import { createSeller } from '../seller/seller.ts'
import { admit } from './node-request.ts'
import { breakOff, sendDocument, sendResponse } from './node-response.ts'

export type { AcceptedPayment, SellerOptions } from '../seller/options.ts'
export { paymentFor } from '../seller/paid-requests.ts'
export { PAY_DOCUMENT_PATH, type PublishedShop } from '../seller/pay-document.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * A listener for `http.createServer` that runs `handler` only for paid requests (interface section 4, Pay-per-call).
 * All others get 402, CORS preflights too: handle those before. A handler that throws or rejects causes a 500, which
 * counts as a failure, and `onError` is called.
 */
export function requirePayment(options: SellerOptions<IncomingMessage>, handler: Handler): RequestListener {
  if (typeof handler !== 'function') throw new TypeError('requirePayment needs a handler')
  const seller = createSeller(options)
  const report = errorReporterOf(options.onError)

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const admission = await admit(seller, request.url ?? '/', request, response)
    if (admission === 'gone') return
    if (admission === 'serve') await handler(request, response)
    else sendResponse(response, admission)
  }
  return (request, response) => {
    reply(request, response).catch((error: unknown) => {
      breakOff(response)
      report(error)
    })
  }
}

/** A listener that publishes what is sold at `PAY_DOCUMENT_PATH`, and passes on everything else. */
export function publishShop(shop: PublishedShop, listener: RequestListener): RequestListener {
  const published = documentResponse(shop)
  return (request, response) => {
    const isAsked = request.method === 'GET' && request.url?.split('?')[0] === PAY_DOCUMENT_PATH
    if (isAsked) sendDocument(response, published)
    else listener(request, response)
  }
}
