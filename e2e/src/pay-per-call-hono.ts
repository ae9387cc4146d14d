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
  type Till,
  wordPrice,
} from './pay-per-call-till.ts'

/** Mounted as an app of its own, behind hono's `cors()`. */
export function honoShop(till: Till): Promise<Shop> {
  const maybeThrow = createUnsteadiness()
  const shop = new Hono()
  shop.get('/weather', requirePayment({ ...till, amount: 12.5 }), c => {
    till.onWeather?.()
    return c.json({ city: c.req.query('city'), payment: paymentFor(c) })
  })
  shop.get('/pages', requirePayment({ ...till, amount: c => pagePrice(c.req.query('count')) }), c =>
    // An answer of the platform's own, which hono did not make.
    Response.json({ payment: paymentFor(c) ?? null }),
  )
  shop.post('/translate', requirePayment({ ...till, amount: async c => wordPrice(await c.req.json()) }), c =>
    c.json({ payment: paymentFor(c) }),
  )
  shop.get('/broken', requirePayment({ ...till, amount: 2 }), async () => {
    throw new Error('broken')
  })
  shop.get('/unsteady', requirePayment({ ...till, ...KEEPS, amount: 2 }), c => {
    maybeThrow(paymentFor(c)?.nonce ?? '')
    return c.json({ served: true })
  })
  const app = new Hono().use(cors({ origin: 'https://shop.example' })).route('/shop', shop)
  app.onError((_error, c) => c.body(null, 500))
  // By itself it replaces the global Request and Response, also for test files that come after.
  return openShop(createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server)
}
