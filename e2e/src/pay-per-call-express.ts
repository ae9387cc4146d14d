import { createServer } from 'node:http'
import { paymentFor, requirePayment } from '@batua/sdk/express'
import express, { type ErrorRequestHandler } from 'express'
import {
  createUnsteadiness,
  KEEPS,
  openShop,
  pagePrice,
  type Shop,
  type Till,
  wordPrice,
} from './pay-per-call-till.ts'

/** Under a router and behind a body parser, where `request.url` is not what was asked for. */
export function expressShop(till: Till): Promise<Shop> {
  const maybeThrow = createUnsteadiness()
  const shop = express.Router()
  shop.get('/weather', requirePayment({ ...till, amount: 12.5 }), (request, response) => {
    till.onWeather?.()
    response.json({ city: request.query['city'], payment: paymentFor(request) })
  })
  const pages = requirePayment({ ...till, amount: request => pagePrice(request.query['count']) })
  shop.get('/pages', pages, (request, response) => {
    response.json({ payment: paymentFor(request) ?? null })
  })
  const words = requirePayment<express.Request>({ ...till, amount: async request => wordPrice(request.body) })
  shop.post('/translate', words, (request, response) => {
    response.json({ payment: paymentFor(request) })
  })
  shop.get('/broken', requirePayment({ ...till, amount: 2 }), () => {
    throw new Error('broken')
  })
  shop.get('/cut', requirePayment({ ...till, amount: 2 }), (_request, response) =>
    new Promise(resolve => response.write('the beginning', resolve)).then(() => {
      throw new Error('cut')
    }),
  )
  shop.get('/unsteady', requirePayment({ ...till, ...KEEPS, amount: 2 }), (request, response) => {
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

/** What express does by itself, without its words on stderr. */
const quietly: ErrorRequestHandler = (_error, _request, response, _next) => {
  if (response.headersSent) response.destroy()
  else response.status(500).end()
}
