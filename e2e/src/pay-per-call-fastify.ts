import { Readable } from 'node:stream'
import { paymentFor, requirePayment } from '@batua/sdk/fastify'
import fastify, { type FastifyRequest } from 'fastify'
import {
  addressOf,
  createUnsteadiness,
  KEEPS,
  pagePrice,
  type Shop,
  type Till,
  wordPrice,
} from './pay-per-call-till.ts'

type PagesRequest = FastifyRequest<{ Querystring: { count: string } }>

export async function fastifyShop(till: Till): Promise<Shop> {
  const maybeThrow = createUnsteadiness()
  const app = fastify({ forceCloseConnections: true })
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'access-control-allow-origin': '*', vary: 'Origin' })
  })
  app.options('/shop/weather', (_request, reply) => reply.code(204).send())

  // A hook of its own before the body is read is enough where the price does not follow from it.
  const weather = { onRequest: requirePayment({ ...till, amount: 12.5 }) }
  app.get<{ Querystring: { city: string } }>('/shop/weather', weather, (request, reply) => {
    till.onWeather?.()
    return reply.send({ city: request.query.city, payment: paymentFor(request) })
  })
  const pages = requirePayment({ ...till, amount: (request: PagesRequest) => pagePrice(request.query.count) })
  app.get('/shop/pages', { preHandler: pages }, (request, reply) =>
    reply.send({ payment: paymentFor(request) ?? null }),
  )
  const words = requirePayment({ ...till, amount: async request => wordPrice(request.body) })
  app.post('/shop/translate', { preHandler: words }, (request, reply) =>
    reply.send({ payment: paymentFor(request) }),
  )
  app.get('/shop/broken', { preHandler: requirePayment({ ...till, amount: 2 }) }, () => {
    throw new Error('broken')
  })
  app.get('/shop/cut', { preHandler: requirePayment({ ...till, amount: 2 }) }, (_request, reply) =>
    reply.send(breakingStream()),
  )
  const unsteady = { preHandler: requirePayment({ ...till, ...KEEPS, amount: 2 }) }
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
