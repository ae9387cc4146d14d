import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { errorReporterOf } from '../seller/error-reporter.ts'
import type { SellerOptions } from '../seller/options.ts'
import { createSeller } from '../seller/seller.ts'
import { admit, breakOff, sendAnswer } from './node-request.ts'

export type { AcceptedPayment, SellerOptions } from '../seller/options.ts'
export { paymentFor } from '../seller/paid-requests.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * A listener for `http.createServer` that runs `handler` only for paid requests (interface section 4, Pay-per-call).
 * All others get 402, CORS preflights too: handle those before. A handler that throws or rejects causes a 500, which
 * counts as a failure, and `onError` is called.
 */
export function requirePayment(options: SellerOptions<IncomingMessage>, handler: Handler): RequestListener {
  if (typeof handler !== 'function') throw new TypeError('requirePayment needs a handler')
  const seller = createSeller(options)
  const tell = errorReporterOf(options.onError)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const admission = await admit(seller, request.url ?? '/', request, response)
    if (admission === 'gone') return
    if (admission === 'serve') await handler(request, response)
    else sendAnswer(response, admission)
  }
  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      breakOff(response)
      tell(error)
    })
  }
}
