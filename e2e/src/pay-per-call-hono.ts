import type { Server } from 'node:http'
import { paymentFor, requirePayment } from '@batua/sdk/hono'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import {
  createUnsteadiness,
  KEEPS,
  openShop,
  pagePrice,
  type Shop,
  type ShopOptions,
  wordPrice,
} from './pay-per-call-shop.ts'

/** Mounted as a separate app, behind hono's `cors()`. */
export function honoShop(selling: ShopOptions): Promise<Shop> {
  const maybeThrow = createUnsteadiness()
  const shop = new Hono()
  shop.get('/weather', requirePayment({ ...selling, amount: 12.5 }), c => {
    selling.onWeather?.()
    return c.json({ city: c.req.query('city'), payment: paymentFor(c) })
  })
  shop.get('/pages', requirePayment({ ...selling, amount: c => pagePrice(c.req.query('count')) }), c =>
    // A response of the platform, which hono did not make.
    Response.json({ payment: paymentFor(c) ?? null }),
  )
  shop.post(
    '/translate',
    requirePayment({ ...selling, amount: async c => wordPrice(await c.req.json()) }),
    c => c.json({ payment: paymentFor(c) }),
  )
  shop.get('/broken', requirePayment({ ...selling, amount: 2 }), async () => {
    throw new Error('broken')
  })
  shop.get('/unsteady', requirePayment({ ...selling, ...KEEPS, amount: 2 }), c => {
    maybeThrow(paymentFor(c)?.nonce ?? '')
    return c.json({ served: true })
  })
  const app = new Hono().use(cors({ origin: 'https://shop.example' })).route('/shop', shop)
  app.onError((_error, c) => c.body(null, 500))
  // By default it replaces the global Request and Response, also for later test files.
  return openShop(createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server)
}
