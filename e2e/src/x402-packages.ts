import { createServer } from 'node:http'
import type { Client } from '@batua/sdk'
import {
  type ExactClient,
  type ExactServerOptions,
  exactServer,
  facilitatorOf,
  type UptoClient,
  uptoServer,
} from '@batua/sdk/x402'
import { installPackages } from './foreign-packages.ts'
import { openShop, type Shop } from './pay-per-call-shop.ts'

/** x402's own packages, unmodified. Installed in a folder of their own, because they bring 112 MB of blockchains. */
export const X402_PACKAGES = [
  '@x402/core@2.27.0',
  '@x402/fetch@2.27.0',
  '@x402/express@2.27.0',
  '@x402/hono@2.27.0',
  'express@5.3.0',
  'hono@4.13.19',
  '@hono/node-server@2.1.8',
]

const NETWORK = 'batua:inr-sandbox'

/** The used parts of the packages. */
interface ResourceServer {
  register(network: string, scheme: object): ResourceServer
}
interface X402Client {
  register(network: string, scheme: ExactClient | UptoClient): X402Client
  setSpendControls(controls: object): unknown
}
type Middleware = (routes: object, server: ResourceServer) => object
interface Express {
  use(middleware: object): unknown
  get(path: string, handler: (request: unknown, response: ExpressResponse) => unknown): unknown
}
interface ExpressResponse {
  status(code: number): ExpressResponse
  send(text: string): unknown
  setHeader(name: string, value: string): unknown
}
interface Hono {
  readonly fetch: unknown
  use(middleware: object): unknown
  get(path: string, handler: (context: HonoContext) => Promise<Response>): unknown
}

interface HonoContext {
  text(text: string, status: number): Response
  header(name: string, value: string): void
}

export interface X402Packages {
  readonly folder: string
  /** A `fetch` of x402 with our scheme. */
  buyer(scheme: ExactClient | UptoClient, seller?: typeof globalThis.fetch): typeof globalThis.fetch
  /** A shop on x402's own middleware; `status` is what its handlers return. */
  shops: Readonly<Record<'express' | 'hono', (settings: X402Shop) => Promise<X402Seller>>>
  remove(): void
}

export interface X402Shop {
  /** A client with the payee's key; its address is that of the facilitator. */
  readonly client: Client
  readonly payTo: string
  /** `exact`, paid before the request, unless it says otherwise. */
  readonly scheme?: 'exact' | 'upto'
  readonly paymentFlow?: NonNullable<ExactServerOptions['paymentFlow']>
  readonly onError?: (error: unknown) => void
}

/** The header by which a handler says how much is captured. */
const OVERRIDES = 'Settlement-Overrides'

/** `/page` and `/other` cost 2.50 INR. */
export interface X402Seller extends Shop {
  served(): number
  /** What the next handlers return instead of 200. */
  readonly statuses: number[]
  /** What happens in the next handlers before they respond. */
  readonly beforeNext: (() => Promise<void>)[]
  /** What the next handlers capture of a price of `upto`, as x402 writes it, instead of all of it. */
  readonly amounts: string[]
}

/** The header with which a call of x402's client pays; null if it does not. */
export function signatureIn(...[input, init]: Parameters<typeof fetch>): string | null {
  // A server of hono replaces the class of requests.
  const source = typeof input === 'object' && 'headers' in input ? input : init
  return new Headers(source?.headers).get('payment-signature')
}

/** A fetch that keeps the headers with which something is paid. */
export function recording() {
  const signatures: string[] = []
  const kept: typeof fetch = async (input, init) => {
    const signature = signatureIn(input, init)
    if (signature !== null) signatures.push(signature)
    return fetch(input, init)
  }
  return { kept, signatures }
}

/** What a seller's response says of the settlement. */
export function settlementIn(headers: Headers): Record<string, unknown> {
  const text = Buffer.from(headers.get('payment-response') ?? 'e30=', 'base64').toString()
  return JSON.parse(text) as Record<string, unknown>
}

export async function installX402(...more: readonly string[]): Promise<X402Packages> {
  const { folder, require, remove } = await installPackages('x402', [...X402_PACKAGES, ...more])
  const { x402ResourceServer, HTTPFacilitatorClient } = require('@x402/core/server') as {
    x402ResourceServer: new (facilitator: object) => ResourceServer
    HTTPFacilitatorClient: new (config: object) => object
  }

  function sale({ payTo, scheme = 'exact', ...options }: X402Shop) {
    const facilitator = new HTTPFacilitatorClient(facilitatorOf(options.client))
    const ours = scheme === 'exact' ? exactServer(options) : uptoServer(options)
    const server = new x402ResourceServer(facilitator).register(NETWORK, ours)
    const accepts = [{ scheme, network: NETWORK, payTo, price: '2.50' }]
    return { server, routes: { 'GET /page': { accepts }, 'GET /other': { accepts } } }
  }

  return {
    folder,
    buyer(scheme, seller = fetch) {
      const { wrapFetchWithPayment, x402Client } = require('@x402/fetch') as {
        wrapFetchWithPayment: (fetch: typeof globalThis.fetch, client: X402Client) => typeof globalThis.fetch
        x402Client: new () => X402Client
      }
      const client = new x402Client().register(NETWORK, scheme)
      client.setSpendControls({ allowedAssets: [{ network: NETWORK, asset: 'INR' }] })
      return wrapFetchWithPayment(seller, client)
    },
    shops: {
      async express(settings) {
        const express = require('express') as () => Express
        const { paymentMiddleware } = require('@x402/express') as { paymentMiddleware: Middleware }
        const { server, routes } = sale(settings)
        const { next, ...count } = counter()
        const app = express()
        app.use(paymentMiddleware(routes, server))
        for (const path of ['/page', '/other']) {
          app.get(path, async (_request, response) => {
            const { status, amount } = await next()
            if (amount !== undefined) response.setHeader(OVERRIDES, JSON.stringify({ amount }))
            return response.status(status).send('sunny')
          })
        }
        return { ...(await openShop(createServer(app as never))), ...count }
      },
      async hono(settings) {
        const { Hono } = require('hono') as { Hono: new () => Hono }
        const { getRequestListener } = require('@hono/node-server') as {
          getRequestListener: (fetch: unknown) => never
        }
        const { paymentMiddleware } = require('@x402/hono') as { paymentMiddleware: Middleware }
        const { server, routes } = sale(settings)
        const { next, ...count } = counter()
        const app = new Hono()
        app.use(paymentMiddleware(routes, server))
        for (const path of ['/page', '/other'])
          app.get(path, async context => {
            const { status, amount } = await next()
            if (amount !== undefined) context.header(OVERRIDES, JSON.stringify({ amount }))
            return context.text('sunny', status)
          })
        return { ...(await openShop(createServer(getRequestListener(app.fetch)))), ...count }
      },
    },
    remove,
  }
}

/** Counts what is served, and responds as the test says. */
function counter() {
  let served = 0
  const statuses: number[] = []
  const amounts: string[] = []
  const beforeNext: (() => Promise<void>)[] = []
  const next = async () => {
    await beforeNext.shift()?.()
    const status = statuses.shift() ?? 200
    served += status === 200 ? 1 : 0
    return { status, amount: amounts.shift() }
  }
  return { statuses, beforeNext, amounts, next, served: () => served }
}
