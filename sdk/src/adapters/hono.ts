import type { SellerAnswer, SellerOptions, SellerRequest } from '../seller/options.ts'
import { rememberPayment } from '../seller/paid-requests.ts'
import { createSeller } from '../seller/seller.ts'
import { headersToSet } from './answer-headers.ts'

export type { AcceptedPayment, SellerOptions } from '../seller/options.ts'
export { paymentFor } from '../seller/paid-requests.ts'

interface HonoRequest {
  readonly method: string
  readonly url: string
  header(name: string): string | undefined
  param(name: string): string | undefined
  query(name: string): string | undefined
  json(): Promise<unknown>
}

/** What is used of hono's context, and what a price may follow from. Name hono's `Context` to have all of it. */
export interface HonoContext {
  readonly req: HonoRequest
  readonly res: Response
  header(name: string, value: string): void
  body(text: string, status: 402 | 503): Response
}

type Middleware<Context> = (context: Context, next: () => Promise<void>) => Promise<Response | undefined>

const FAILED = 500

/**
 * Middleware for hono that lets only requests through that have paid (interface section 4, Pay-per-call). All others
 * are answered 402, CORS preflights too: put `cors()` before it. A failure is settled before its answer goes out, so
 * that it is on platforms too that stop with the answer.
 */
export function requirePayment<Context extends HonoContext>(
  options: SellerOptions<Context>,
): Middleware<Context> {
  const seller = createSeller(options)
  return async (context, next) => {
    const asked = sellerRequest(context)
    const acceptance = await seller.accept(asked, context)
    switch (acceptance.kind) {
      case 'free':
        await next()
        return undefined
      case 'refused':
        return send(context, acceptance.answer)
      case 'accepted':
        rememberPayment(context, acceptance.payment)
        await serve(context, next, status => acceptance.finish(status))
        return undefined
    }
  }
}

function send(context: HonoContext, answer: SellerAnswer): Response {
  for (const [name, value] of headersToSet(answer, name => context.res.headers.get(name))) {
    context.header(name, value)
  }
  return context.body(answer.body, answer.status)
}

function sellerRequest({ req }: HonoContext): SellerRequest {
  const { pathname, search } = new URL(req.url)
  return {
    method: req.method,
    path: pathname + search,
    header: name => req.header(name) ?? null,
  }
}

async function serve(
  context: HonoContext,
  next: () => Promise<void>,
  finish: (status: number) => Promise<void>,
): Promise<void> {
  let status = FAILED
  try {
    await next()
    status = context.res.status
    // A shared cache must not hand to others what one has paid for; a handler may say otherwise.
    if (!context.res.headers.has('cache-control')) context.header('Cache-Control', 'private')
  } finally {
    await finish(status)
  }
}
