import { expressShop } from './pay-per-call-express.ts'
import { fastifyShop } from './pay-per-call-fastify.ts'
import { honoShop } from './pay-per-call-hono.ts'
import { nodeShop } from './pay-per-call-node.ts'
import type { Shop, ShopOptions } from './pay-per-call-shop.ts'

/**
 * The same shop in each framework, as its users would write it:
 *
 *     GET  /shop/weather?city=…  12.50 INR; returns the city and its payment
 *     GET  /shop/pages?count=…   0.25 INR each
 *     POST /shop/translate       0.10 INR for each of the `words` in its JSON body
 *     GET  /shop/broken          2 INR; throws
 *     GET  /shop/cut             2 INR; throws after the response began
 *     GET  /shop/unsteady        2 INR; throws at first and then serves the same payment
 */
export const SHOPS: readonly (readonly [name: string, open: (selling: ShopOptions) => Promise<Shop>])[] = [
  ['express', expressShop],
  ['fastify', fastifyShop],
  ['hono', honoShop],
  ['node:http', nodeShop],
]
