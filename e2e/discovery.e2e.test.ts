import type { IncomingMessage, RequestListener } from 'node:http'
import { routes } from '@batua/contract'
import { type Client, createClient } from '@batua/sdk'
import { publishShop as publishInExpress } from '@batua/sdk/express'
import { publishShop as publishInFastify } from '@batua/sdk/fastify'
import { publishShop as publishInHono } from '@batua/sdk/hono'
import { publishShop, requirePayment } from '@batua/sdk/node'
import { PAY_DOCUMENT_PATH, type PublishedShop, payDocument, type SellerOptions } from '@batua/sdk/seller'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type LocalServers, openLocalServers } from './src/local-servers.ts'
import type { Agent } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let servers: LocalServers
/** One word that only this run has. */
const word = `mango${Date.now().toString(36)}`

beforeAll(async () => {
  stage = await openPayingStage()
  servers = openLocalServers()
})
afterEach(() => servers.close())
afterAll(() => stage.close())

const clientOf = (agent: Agent): Client =>
  createClient({ baseUrl: stage.api.address, agentKey: agent.key, maxRetries: 0 })

function setOrigins({ id }: Agent, origins: string[]) {
  const { headers } = stage.platform
  return stage.api.ok(routes.updateAgent, { params: { agent_id: id }, headers, body: { origins } })
}

/** A shop with its document, at an origin of its agent. */
async function openShop(agent: Agent, change: Partial<PublishedShop> = {}): Promise<string> {
  const selling: SellerOptions<IncomingMessage> = {
    ...{ client: clientOf(agent), payTo: agent.handle, amount: 2.5, description: `Fruit like ${word}` },
  }
  const shop = { name: 'Fruit shop', routes: { 'GET /fruit': selling }, ...change }
  const listener = publishShop(
    shop,
    requirePayment(selling, (_, response) => response.end('a mango')),
  )
  const origin = await servers.serve(listener)
  await setOrigins(agent, [origin])
  return origin
}

const find = async (query: string) => (await stage.api.ok(routes.listSellers, { query: { query } })).sellers

test('a seller registers what it sells, everybody finds it, and nobody once it is removed', async () => {
  const agent = await stage.network.agent(stage.owner)
  const origin = await openShop(agent)
  const client = clientOf(agent)
  const listing = await client.registerListing({ agent_id: agent.id, origin: `${origin}/` })
  expect(listing).toMatchObject({
    ...{ agent_id: agent.id, origin, name: 'Fruit shop', description: null, protocols: ['batua'] },
    ...{ failing_since: null, uptime: 1 },
    routes: [{ method: 'GET', path: '/fruit', price_from: 2.5, price_to: 2.5, buyer_tier: null }],
  })
  const [seller, ...others] = await find(word)
  const { listing_id, created_at: _, ...facts } = listing
  expect([seller, others]).toEqual([{ ...facts, handle: agent.handle }, []])

  // Registering again reads the document again.
  const again = await client.registerListing({ agent_id: agent.id, origin })
  expect(again.listing_id).toBe(listing_id)
  const ofAgent = { agent_id: agent.id }
  expect((await client.listListings(ofAgent)).listings).toEqual([again])
  expect(await client.deleteListing({ ...ofAgent, listing_id })).toEqual({ listing_id, ended: true })
  expect(await find(word)).toEqual([])
  await expect(client.deleteListing({ ...ofAgent, listing_id })).rejects.toMatchObject({ code: 'not_found' })
  const { headers } = stage.platform
  const { entries } = await stage.api.ok(routes.listAuditEntries, { params: ofAgent, headers })
  const recorded = entries.filter(({ action }) => action.startsWith('listing.'))
  expect(recorded.map(({ action, data }) => [action, data])).toEqual([
    ['listing.ended', { origin, reason: 'removed' }],
    ['listing.created', { origin }],
  ])
})

test('an origin that is not the agent’s, or whose document is no document or of another payee, is not listed', async () => {
  const [agent, other] = [await stage.network.agent(stage.owner), await stage.network.agent(stage.owner)]
  const foreign = await openShop(other)
  const register = (origin: string) => clientOf(agent).registerListing({ agent_id: agent.id, origin })
  const refused = { code: 'validation_error', field: 'origin' }
  await expect(register(foreign)).rejects.toMatchObject(refused)
  await setOrigins(agent, [foreign])
  await expect(register(foreign)).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('another payee'),
  })
  const empty: RequestListener = (_, response) => response.writeHead(404).end()
  const missing = await servers.serve(empty)
  await setOrigins(agent, [missing])
  await expect(register(missing)).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('404'),
  })
  await expect(register('ftp://shop.example')).rejects.toMatchObject(refused)
  await expect(
    clientOf(agent).registerListing({ agent_id: other.id, origin: foreign }),
  ).rejects.toMatchObject({ code: 'authorization_error' })
  expect(await find(word)).toEqual([])
})

test('a listing is shown only while its agent has the origin and is active', async () => {
  const agent = await stage.network.agent(stage.owner)
  const origin = await openShop(agent)
  await clientOf(agent).registerListing({ agent_id: agent.id, origin })
  const { headers } = stage.platform
  const ofAgent = { params: { agent_id: agent.id }, headers }
  await stage.api.ok(routes.pauseAgent, ofAgent)
  expect(await find(word)).toEqual([])
  await stage.api.refused(routes.registerListing, 409, 'conflict', { ...ofAgent, body: { origin } })
  await stage.api.ok(routes.resumeAgent, ofAgent)
  expect(await find(word)).toHaveLength(1)
  await setOrigins(agent, [])
  expect(await find(word)).toEqual([])
})

test('the pages of sellers follow each other', async () => {
  const shops = await Promise.all(
    [1, 2, 3].map(async number => {
      const agent = await stage.network.agent(stage.owner)
      const origin = await openShop(agent, { description: `${word}x ${number}` })
      await clientOf(agent).registerListing({ agent_id: agent.id, origin })
      return agent.handle
    }),
  )
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const query = { query: `${word}x`, limit: 2, ...(cursor === undefined ? {} : { cursor }) }
    const { sellers, pagination } = await stage.api.ok(routes.listSellers, { query })
    expect(pagination.total).toBe(3)
    seen.push(...sellers.map(({ handle }) => handle))
    cursor = pagination.next_cursor
  } while (cursor !== undefined)
  expect(seen.toSorted()).toEqual(shops.toSorted())
})

test('any site may read the published document, and all other requests reach the shop', async () => {
  const agent = await stage.network.agent(stage.owner)
  const origin = await openShop(agent)
  const response = await fetch(`${origin}/.well-known/batua-pay.json?x=1`)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('content-type')).toContain('application/json')
  expect(await response.json()).toMatchObject({ version: 1, payTo: agent.handle })
  expect((await fetch(`${origin}/fruit`)).status).toBe(402)
})

test('express, fastify and hono publish the same document', async () => {
  const shop: PublishedShop = { name: 'Shop', routes: { 'GET /fruit': { payTo: 'fruit', amount: 1 } } }
  const app = express().get(PAY_DOCUMENT_PATH, publishInExpress(shop))
  const ofExpress = await fetch((await servers.serve(app)) + PAY_DOCUMENT_PATH)
  const server = fastify().get(PAY_DOCUMENT_PATH, publishInFastify(shop))
  const ofFastify = await server.inject(PAY_DOCUMENT_PATH)
  const ofHono = await new Hono().get(PAY_DOCUMENT_PATH, publishInHono(shop)).request(PAY_DOCUMENT_PATH)
  const document = payDocument(shop)
  expect([await ofExpress.json(), ofFastify.json(), await ofHono.json()]).toEqual([
    document,
    document,
    document,
  ])
  const type = 'application/json; charset=utf-8'
  expect(ofExpress.headers.get('content-type')).toBe(type)
  expect(ofFastify.headers['content-type']).toBe(type)
  expect(ofHono.headers.get('content-type')).toBe(type)
  await server.close()
})
