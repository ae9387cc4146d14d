import { within } from '../client/timeouts.ts'
import { verifyTimeoutIn } from '../seller/context.ts'
import type { Accepted, SellerOptions, SellerRequest, SellerResponse } from '../seller/options.ts'
import { rememberPayment } from '../seller/paid-requests.ts'
import { documentResponse, type PublishedShop } from '../seller/pay-document.ts'
import { createSeller } from '../seller/seller.ts'
import { headersToSet, isOfOthers } from './response-headers.ts'

export type { AcceptedPayment, SellerOptions } from '../seller/options.ts'
export { paymentFor } from '../seller/paid-requests.ts'
export { PAY_DOCUMENT_PATH, type PublishedShop } from '../seller/pay-document.ts'

interface HonoRequest {
  readonly method: string
  readonly url: string
  readonly raw: { readonly signal?: AbortSignal }
  header(name: string): string | undefined
  param(name: string): string | undefined
  query(name: string): string | undefined
  json(): Promise<unknown>
}

/** The used part of hono's context, and the argument of a price function. Name hono's `Context` for all of it. */
export interface HonoContext {
  readonly req: HonoRequest
  res: Response
  /** Only on platforms that stop after the response; elsewhere it throws. */
  readonly executionCtx?: { waitUntil(work: Promise<unknown>): void }
  header(name: string, value: string): void
  body(text: string, status: 402 | 403 | 503): Response
}

type Middleware<Context> = (context: Context, next: () => Promise<void>) => Promise<Response | undefined>

const FAILED = 500
/** The status of a paid request that could not be served. */
const NOT_SERVED = 503

/**
 * Middleware for hono that passes on only paid requests (interface section 4, Pay-per-call). All others get 402, CORS
 * preflights too: put `cors()` before it. A failure is compensated before its response is sent, also on platforms that
 * stop after the response; what takes longer than `verifyTimeoutMs` continues afterwards.
 */
export function requirePayment<Context extends HonoContext>(
  options: SellerOptions<Context>,
): Middleware<Context> {
  const seller = createSeller(options)
  const patienceMs = verifyTimeoutIn(options)
  return async (context, next) => {
    const asked = sellerRequest(context)
    // Some servers only report a disconnect if the signal was read before.
    const { signal } = context.req.raw
    const acceptance = await seller.accept(asked, context)
    switch (acceptance.kind) {
      case 'free':
        await next()
        return undefined
      case 'refused':
        return send(context, acceptance.response)
      case 'accepted':
        return serve(context, next, signal, {
          ...acceptance,
          finish: status => soon(context, patienceMs, acceptance.finish(status)),
        })
    }
  }
}

function send(context: HonoContext, response: SellerResponse): Response {
  for (const [name, value] of headersToSet(response, name => context.res.headers.get(name))) {
    context.header(name, value)
  }
  return context.body(response.body, response.status)
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
  signal: AbortSignal | undefined,
  { payment, head, stored, finish }: Accepted,
): Promise<Response | undefined> {
  // If the client disconnected while the payment was checked, the handler does not run.
  if (signal?.aborted === true) {
    await finish(NOT_SERVED)
    return context.body('', NOT_SERVED)
  }
  rememberPayment(context, payment)
  let status = FAILED
  try {
    await next()
    status = context.res.status
    head(status)
    const response = (await stored?.()) ?? null
    if (response !== null) {
      status = response.status
      replaceResponse(context, response)
    }
    // Once more: other calls may have been counted meanwhile.
    for (const [name, value] of headersToSet({ headers: head(status) }, each =>
      context.res.headers.get(each),
    )) {
      context.header(name, value)
    }
    // A shared cache must not serve a paid response to others; a handler may override this.
    if (!context.res.headers.has('cache-control')) context.header('Cache-Control', 'private')
  } finally {
    await finish(status)
  }
  return undefined
}

/** Sends a response in place of the response of the handler. */
function replaceResponse(context: HonoContext, { status, headers, body }: SellerResponse): void {
  const { res } = context
  void res.body?.cancel()
  const kept = new Headers([...res.headers].filter(([name]) => isOfOthers(name)))
  for (const [name, value] of headersToSet({ headers }, each => kept.get(each))) kept.set(name, value)
  // Otherwise hono would keep the headers of the response before.
  Reflect.set(context, 'res', undefined)
  context.res = new Response(body, { status, headers: kept })
}

/** Waits for work as long as a response may wait; the platform is asked to let it continue. */
async function soon(context: HonoContext, patienceMs: number, work: Promise<void>): Promise<void> {
  try {
    await within(patienceMs, undefined, () => work)
  } catch {
    goOn(context, work)
  }
}

function goOn(context: HonoContext, work: Promise<void>): void {
  try {
    context.executionCtx?.waitUntil(work)
  } catch {
    // Only platforms that stop after the response have it; on others the work continues anyway.
  }
}

/** A handler for hono that publishes what is sold: `app.get(PAY_DOCUMENT_PATH, publishShop(shop))`. */
export function publishShop(shop: PublishedShop): () => Response {
  const { status, headers, body } = documentResponse(shop)
  return () => new Response(body, { status, headers })
}
