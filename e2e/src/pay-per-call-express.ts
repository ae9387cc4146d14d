import { createServer } from 'node:http'
import { paymentFor, requirePayment } from '@batua/sdk/express'
import express, { type ErrorRequestHandler } from 'express'
import {
  createUnsteadiness,
  KEEPS,
  openShop,
  pagePrice,
  type Shop,
  type ShopOptions,
  wordPrice,
} from './pay-per-call-shop.ts'

/** Under a router and behind a body parser, where `request.url` differs from the requested URL. */
export function expressShop(selling: ShopOptions): Promise<Shop> {
  const maybeThrow = createUnsteadiness()
  const shop = express.Router()
  shop.get('/weather', requirePayment({ ...selling, amount: 12.5 }), (request, response) => {
    selling.onWeather?.()
    response.json({ city: request.query['city'], payment: paymentFor(request) })
  })
  const pages = requirePayment({ ...selling, amount: request => pagePrice(request.query['count']) })
  shop.get('/pages', pages, (request, response) => {
    response.json({ payment: paymentFor(request) ?? null })
  })
  const words = requirePayment<express.Request>({
    ...selling,
    amount: async request => wordPrice(request.body),
  })
  shop.post('/translate', words, (request, response) => {
    response.json({ payment: paymentFor(request) })
  })
  shop.get('/broken', requirePayment({ ...selling, amount: 2 }), () => {
    throw new Error('broken')
  })
  shop.get('/cut', requirePayment({ ...selling, amount: 2 }), (_request, response) =>
    new Promise(resolve => response.write('the beginning', resolve)).then(() => {
      throw new Error('cut')
    }),
  )
  shop.get('/unsteady', requirePayment({ ...selling, ...KEEPS, amount: 2 }), (request, response) => {
    maybeThrow(paymentFor(request)?.nonce ?? '')
    response.json({ served: true })
  })
  const app = express().use(cors, express.json()).use('/shop', shop).use(quietly)
  return openShop(createServer(app))
}

const cors: express.RequestHandler = (request, response, next) => {
  response.set({ 'Access-Control-Allow-Origin': '*', Vary: 'Origin' })
  if (request.method === 'OPTIONS') response.status(204).end()
  else next()
}

/** The error handling of express, without its output on stderr. */
const quietly: ErrorRequestHandler = (_error, _request, response, _next) => {
  if (response.headersSent) response.destroy()
  else response.status(500).end()
}
