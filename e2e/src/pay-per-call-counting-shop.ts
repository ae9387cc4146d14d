import { createServer, type IncomingMessage } from 'node:http'
import { paymentFor, requirePayment, type SellerOptions } from '@batua/sdk/node'
import { openShop, type Shop } from './pay-per-call-shop.ts'

/** A shop with one product, on node:http, which counts its sales. */
export interface CountingShop extends Shop {
  readonly port: number
  served(): number
}

/** `status`: what its handler responds with. */
export async function openCountingShop({
  status = 200,
  ...options
}: SellerOptions<IncomingMessage> & { readonly status?: number }): Promise<CountingShop> {
  let served = 0
  const sell = requirePayment(options, (request, response) => {
    served++
    response.writeHead(status).end(paymentFor(request)?.amount)
  })
  const shop = await openShop(createServer(sell))
  return { ...shop, port: Number(new URL(shop.address).port), served: () => served }
}
