import { Readable } from 'node:stream'
import { paymentFor, requirePayment } from '@batua/sdk/fastify'
import fastify, { type FastifyRequest } from 'fastify'
import {
  addressOf,
  createUnsteadiness,
  KEEPS,
  pagePrice,
  type Shop,
  type ShopOptions,
  wordPrice,
} from './pay-per-call-shop.ts'

type PagesRequest = FastifyRequest<{ Querystring: { count: string } }>

export async function fastifyShop(selling: ShopOptions): Promise<Shop> {
  const maybeThrow = createUnsteadiness()
  const app = fastify({ forceCloseConnections: true })
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'access-control-allow-origin': '*', vary: 'Origin' })
  })
  app.options('/shop/weather', (_request, reply) => reply.code(204).send())

  // If the price does not depend on the body, a hook before the body is read is enough.
  const weather = { onRequest: requirePayment({ ...selling, amount: 12.5 }) }
  app.get<{ Querystring: { city: string } }>('/shop/weather', weather, (request, reply) => {
    selling.onWeather?.()
    return reply.send({ city: request.query.city, payment: paymentFor(request) })
  })
  const pages = requirePayment({
    ...selling,
    amount: (request: PagesRequest) => pagePrice(request.query.count),
  })
  app.get('/shop/pages', { preHandler: pages }, (request, reply) =>
    reply.send({ payment: paymentFor(request) ?? null }),
  )
  const words = requirePayment({ ...selling, amount: async request => wordPrice(request.body) })
  app.post('/shop/translate', { preHandler: words }, (request, reply) =>
    reply.send({ payment: paymentFor(request) }),
  )
  app.get('/shop/broken', { preHandler: requirePayment({ ...selling, amount: 2 }) }, () => {
    throw new Error('broken')
  })
  app.get('/shop/cut', { preHandler: requirePayment({ ...selling, amount: 2 }) }, (_request, reply) =>
    reply.send(breakingStream()),
  )
  const unsteady = { preHandler: requirePayment({ ...selling, ...KEEPS, amount: 2 }) }
  app.get('/shop/unsteady', unsteady, (request, reply) => {
    maybeThrow(paymentFor(request)?.nonce ?? '')
    return reply.send({ served: true })
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { address: addressOf(app.server), server: app.server, close: () => app.close() }
}

function breakingStream(): Readable {
  return Readable.from(
    (async function* () {
      yield 'the beginning'
      throw new Error('cut')
    })(),
  )
}
