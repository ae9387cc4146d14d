import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import { paymentFor, requirePayment, type SellerOptions } from '@batua/sdk/node'
import { openShop, type Shop } from './pay-per-call-till.ts'

/** A shop of one thing, on node:http, which counts what it hands out. */
export interface Stall extends Shop {
  readonly port: number
  served(): number
}

export async function openStall(options: SellerOptions<IncomingMessage>): Promise<Stall> {
  let served = 0
  const sell = requirePayment(options, (request, response) => {
    served++
    response.end(paymentFor(request)?.amount)
  })
  const shop = await openShop(createServer(sell))
  return { ...shop, port: Number(new URL(shop.address).port), served: () => served }
}
