import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'
import type { Client } from '@batua/sdk'
import {
  type ChargeClient,
  chargeServer,
  type MppErrors,
  type SessionClient,
  type SessionServerOptions,
  sessionServer,
} from '@batua/sdk/mpp'
import { installPackages } from './foreign-packages.ts'
import { openShop, type Shop } from './pay-per-call-shop.ts'

/**
 * MPP's own package, unmodified, in a folder of its own: with the library of blockchains that it needs it has 112 MB.
 * Its peer excludes versions of viem that viem excludes again, so npm must be set to ignore that.
 */
const MPP_PACKAGES = [
  'mppx@0.11.0',
  'viem@2.57.20',
  'express@5.3.0',
  'hono@4.13.19',
  '@hono/node-server@2.1.8',
]

const SECRET_KEY = 'a secret key of mppx, of 32 characters or more'

/** The used parts of the packages. */
interface MppServer {
  charge(options: { readonly amount: string }): object
  session(options: { readonly amount: string }): object
}
interface Mppx {
  create(options: { readonly methods: readonly object[]; readonly secretKey: string }): MppServer
}
interface MppClient {
  readonly fetch: typeof globalThis.fetch
}
interface Express {
  get(
    path: string,
    middleware: object,
    handler: (request: unknown, response: ExpressResponse) => unknown,
  ): unknown
}
interface ExpressResponse {
  status(code: number): ExpressResponse
  json(value: unknown): unknown
}
interface Hono {
  readonly fetch: unknown
  get(path: string, middleware: object, handler: (context: HonoContext) => Promise<Response>): unknown
}
interface HonoContext {
  json(value: unknown, status: number): Response
}

export interface MppPackages {
  /** A `fetch` of MPP's client with our method. */
  buyer(method: ChargeClient | SessionClient, fetch?: typeof globalThis.fetch): typeof globalThis.fetch
  shops: Readonly<Record<'express' | 'hono', (settings: MppShop) => Promise<MppSeller>>>
  remove(): void
}

export interface MppShop {
  /** A client with the payee's key. */
  readonly client: Client
  readonly payTo: string
  readonly service: string
  /** Sells for 0.10 INR by vouchers instead. */
  readonly tab?: SessionServerOptions['tab']
}

/** `/page` and `/other` cost 2.50 INR. */
export interface MppSeller extends Shop {
  served(): number
}

export async function installMpp(): Promise<MppPackages> {
  const { require, remove } = await installPackages('mpp', MPP_PACKAGES, ['--legacy-peer-deps'])
  const load = (name: string): Promise<unknown> => import(pathToFileURL(require.resolve(name)).href)
  const { Errors: errors } = (await load('mppx')) as { readonly Errors: MppErrors }
  const { Mppx: clients } = (await load('mppx/client')) as {
    readonly Mppx: { create(options: object): MppClient }
  }

  const sale = (mppx: Mppx, { tab, ...shop }: MppShop) => {
    const options = { ...shop, errors, onError: () => undefined }
    if (tab === undefined) {
      const methods = [chargeServer(options)]
      return mppx.create({ methods, secretKey: SECRET_KEY }).charge({ amount: '2.50' })
    }
    const methods = [sessionServer({ ...options, tab })]
    return mppx.create({ methods, secretKey: SECRET_KEY }).session({ amount: '0.10' })
  }

  return {
    buyer: (method, fetch = globalThis.fetch) =>
      clients.create({ methods: [method], fetch: method.fetch(fetch), polyfill: false }).fetch,
    shops: {
      async express(settings) {
        const express = require('express') as () => Express
        const { Mppx } = (await load('mppx/express')) as { readonly Mppx: Mppx }
        const app = express()
        let served = 0
        for (const path of ['/page', '/other']) {
          app.get(path, sale(Mppx, settings), (_request, response) => {
            served += 1
            return response.json('sunny')
          })
        }
        return { ...(await openShop(createServer(app as never))), served: () => served }
      },
      async hono(settings) {
        const { Hono } = require('hono') as { Hono: new () => Hono }
        const { getRequestListener } = require('@hono/node-server') as {
          getRequestListener: (fetch: unknown) => never
        }
        const { Mppx } = (await load('mppx/hono')) as { readonly Mppx: Mppx }
        const app = new Hono()
        let served = 0
        for (const path of ['/page', '/other']) {
          app.get(path, sale(Mppx, settings), async context => {
            served += 1
            return context.json('sunny', 200)
          })
        }
        return { ...(await openShop(createServer(getRequestListener(app.fetch)))), served: () => served }
      },
    },
    remove,
  }
}
