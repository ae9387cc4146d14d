import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { SellerOptions } from '../seller/options.ts'
import { createSeller } from '../seller/seller.ts'
import { admit, sendAnswer } from './node-request.ts'

export type { AcceptedPayment, SellerOptions } from '../seller/options.ts'
export { paymentFor } from '../seller/paid-requests.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * A listener for `http.createServer` that runs `handler` only for requests that have paid (interface section 4,
 * Pay-per-call). All others are answered 402, CORS preflights too: answer those before. A handler that throws or
 * rejects is answered 500, which counts as a failure, and `onError` is told.
 */
export function requirePayment(options: SellerOptions<IncomingMessage>, handler: Handler): RequestListener {
  const seller = createSeller(options)
  const tell = options.onError ?? warn

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

/** Says that it failed; where an answer has begun, only a broken line can say so. */
function breakOff(response: ServerResponse): void {
  if (response.headersSent) {
    if (!response.writableEnded) response.destroy()
    return
  }
  response.statusCode = 500
  response.end()
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
