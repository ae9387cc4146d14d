import { paiseFromRupees, type Rupees, rupeesText } from '../protocol/amount.ts'
import { readDemand } from '../protocol/buyer-demand.ts'
import type { BuyerDemand } from '../protocol/messages.ts'
import { payeeName } from '../protocol/payee.ts'
import { payeeIn } from './context.ts'
import type { SellerOptions } from './options.ts'

/** Where a seller publishes what it sells, below its origin. */
export const PAY_DOCUMENT_PATH = '/.well-known/batua-pay.json'

/** What a seller publishes: the JSON at `PAY_DOCUMENT_PATH`. */
export interface PayDocument {
  readonly version: 1
  /** The payee of every route: a handle or an agent id. */
  readonly payTo: string
  readonly name: string
  readonly description?: string
  readonly protocols: readonly ('batua' | 'vouchers' | 'x402')[]
  readonly routes: readonly SoldRoute[]
}

export interface SoldRoute {
  readonly method: string
  readonly path: string
  readonly description?: string
  /** INR, decimal strings; absent: the seller says it when it is asked. */
  readonly price?: { readonly from: string; readonly to: string }
  readonly buyers?: BuyerDemand
}

/** The part of the options of `requirePayment` that is published, and the range of a price that is a function. */
export type PublishedRoute = Pick<
  SellerOptions<never>,
  'payTo' | 'amount' | 'description' | 'buyers' | 'x402' | 'tab'
> & {
  /** The lowest and the highest price, INR. */
  readonly priceRange?: readonly [from: Rupees, to: Rupees]
}

export interface PublishedShop {
  /** The name of the seller, at most 100 characters. */
  readonly name: string
  /** What it sells, at most 500 characters. */
  readonly description?: string
  /** The options of each route by its method and path: `{ 'GET /weather': options }`. A part that varies is in braces. */
  readonly routes: Readonly<Record<string, PublishedRoute>>
}

const ROUTE = /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\/[!-~]{0,199})$/
// What changes how a text is displayed is refused by the service too.
const LINE = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]+$/u
const MAX_ROUTES = 100

/**
 * The document of what a seller sells, made of the options with which it sells. Throws a TypeError or RangeError for
 * what the service would not list: a text that is too long or has control characters, a route that is none, several
 * payees, more than 100 routes.
 */
export function payDocument({ name, description, routes }: PublishedShop): PayDocument {
  const sold = Object.entries(routes)
  if (sold.length === 0 || sold.length > MAX_ROUTES) throw new RangeError(`routes are 1 to ${MAX_ROUTES}`)
  const payees = new Set(sold.map(([, { payTo }]) => payeeName(payeeIn(payTo))))
  const [payTo, ...others] = payees
  if (payTo === undefined || others.length > 0) throw new TypeError('A document has one payee for all routes')
  const options = sold.map(([, each]) => each)
  const protocols = [
    'batua' as const,
    ...(options.some(({ tab }) => tab !== undefined) ? (['vouchers'] as const) : []),
    ...(options.some(({ x402 = false }) => x402 !== false) ? (['x402'] as const) : []),
  ]
  return {
    ...{ version: 1, payTo, name: lineIn('name', name, 100) },
    ...(description === undefined ? {} : { description: lineIn('description', description, 500) }),
    protocols,
    routes: sold.map(([route, each]) => soldRoute(route, each)),
  }
}

function soldRoute(route: string, { amount, description, buyers, priceRange }: PublishedRoute): SoldRoute {
  const [, method, path] = ROUTE.exec(route) ?? []
  if (method === undefined || path === undefined)
    throw new TypeError(`A route is like 'GET /weather', not ${route}`)
  const demand = buyers === undefined ? undefined : readDemand(buyers)
  if (demand === null) throw new TypeError('buyers has the fields tier and kyc')
  const [from, to] = priceRange ?? (typeof amount === 'function' ? [] : [amount, amount])
  return {
    ...{ method, path },
    ...(description === undefined ? {} : { description: lineIn('description', description, 500) }),
    ...(from === undefined || to === undefined ? {} : { price: rangeOf(from, to) }),
    ...(demand === undefined ? {} : { buyers: demand }),
  }
}

function rangeOf(lowest: Rupees, highest: Rupees) {
  const [from, to] = [paiseFromRupees(lowest), paiseFromRupees(highest)]
  if (from > to) throw new RangeError('priceRange is from the lowest to the highest price')
  return { from: rupeesText(from), to: rupeesText(to) }
}

function lineIn(what: string, text: string, maxLength: number): string {
  if (typeof text === 'string' && text.length <= maxLength && LINE.test(text) && text.trim() !== '')
    return text
  throw new RangeError(`${what} is one line of at most ${maxLength} characters`)
}

/** @internal A response with the document, for adapters. */
export function documentResponse(shop: PublishedShop) {
  const body = JSON.stringify(payDocument(shop))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'public, max-age=300',
    'Access-Control-Allow-Origin': '*',
    'X-Content-Type-Options': 'nosniff',
  } as const
  return { status: 200, headers, body } as const
}
