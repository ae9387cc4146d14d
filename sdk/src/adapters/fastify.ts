import type { SellerOptions } from '../seller/options.ts'
import { documentResponse, type PublishedShop } from '../seller/pay-document.ts'
import { createSeller } from '../seller/seller.ts'
import { admit, type NodeRequest } from './node-request.ts'
import type { NodeResponse } from './node-response.ts'
import { headersToSet } from './response-headers.ts'

export type { AcceptedPayment, SellerOptions } from '../seller/options.ts'
export { paymentFor } from '../seller/paid-requests.ts'
export { PAY_DOCUMENT_PATH, type PublishedShop } from '../seller/pay-document.ts'

/** The used part of fastify's request, and the argument of a price function. Name fastify's type for all of it. */
export interface FastifyRequest extends NodeRequest {
  readonly originalUrl: string
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** The used part of fastify's reply. */
export interface FastifyReply {
  readonly raw: NodeResponse
  getHeader(name: string): number | string | string[] | undefined
  header(name: string, value: string): unknown
  hijack(): unknown
  code(...status: never[]): unknown
  send(...body: never[]): unknown
}

/** Fastify lets a route send what its types say; this is sent regardless of them. */
interface AnyReply {
  code(status: number): unknown
  send(body: string): unknown
}

type Hook<Request> = (request: Request, reply: FastifyReply) => Promise<unknown>

/**
 * A hook for fastify, `preHandler` (or `onRequest`, before the body is read), that passes on only paid requests
 * (interface section 4, Pay-per-call). All others get 402.
 */
export function requirePayment<Request extends FastifyRequest>(
  options: SellerOptions<Request>,
): Hook<NoInfer<Request>> {
  const seller = createSeller(options)
  return async (request, reply) => {
    const admission = await admit(seller, request.originalUrl, request, reply.raw)
    if (admission === 'serve') return undefined
    if (admission === 'gone') return reply.hijack()
    for (const [name, value] of headersToSet(admission, name => reply.getHeader(name))) {
      reply.header(name, value)
    }
    const sender = reply as AnyReply
    sender.code(admission.status)
    return sender.send(admission.body)
  }
}

/** A handler for fastify that publishes what is sold: `app.get(PAY_DOCUMENT_PATH, publishShop(shop))`. */
export function publishShop(shop: PublishedShop): (request: unknown, reply: FastifyReply) => unknown {
  const { headers, body } = documentResponse(shop)
  return (_request, reply) => {
    for (const [name, value] of Object.entries(headers)) reply.header(name, value)
    return (reply as AnyReply).send(body)
  }
}
