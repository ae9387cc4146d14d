import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { paymentFor, requirePayment } from '@batua/sdk/node'
import {
  createUnsteadiness,
  KEEPS,
  openShop,
  pagePrice,
  type Shop,
  type ShopOptions,
} from './pay-per-call-shop.ts'

export function nodeShop(selling: ShopOptions): Promise<Shop> {
  const maybeThrow = createUnsteadiness()
  /** So that a handler's failure prints nothing. */
  const quiet = { ...selling, onError: () => undefined }
  const routes: Readonly<Record<string, RequestListener>> = {
    '/shop/weather': requirePayment({ ...selling, amount: 12.5 }, (request, response) => {
      selling.onWeather?.()
      json(response, { city: queryOf(request).get('city'), payment: paymentFor(request) })
    }),
    '/shop/pages': requirePayment(
      { ...quiet, amount: request => pagePrice(queryOf(request).get('count')) },
      (request, response) => json(response, { payment: paymentFor(request) ?? null }),
    ),
    '/shop/broken': requirePayment({ ...quiet, amount: 2 }, async () => {
      throw new Error('broken')
    }),
    '/shop/cut': requirePayment({ ...quiet, amount: 2 }, async (_request, response) => {
      await new Promise(resolve => response.write('the beginning', resolve))
      throw new Error('cut')
    }),
    '/shop/unsteady': requirePayment({ ...quiet, ...KEEPS, amount: 2 }, (request, response) => {
      maybeThrow(paymentFor(request)?.nonce ?? '')
      json(response, { served: true })
    }),
  }
  const server = createServer((request, response) => {
    const { pathname } = urlOf(request)
    response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Vary', 'Origin')
    if (request.method === 'OPTIONS') response.writeHead(204).end()
    else routes[pathname]?.(request, response)
  })
  return openShop(server)
}

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', 'http://localhost')
}

function queryOf(request: IncomingMessage): URLSearchParams {
  return urlOf(request).searchParams
}

function json(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
}
