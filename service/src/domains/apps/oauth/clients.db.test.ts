import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Provider } from 'oidc-provider'
import { afterAll, afterEach, expect } from 'vitest'
import { silentLogger } from '../../../kernel/logger.ts'
import { startNode, type TestNode } from '../../../testing/builders.ts'
import { TEST_VAULT } from '../../../testing/database.ts'
import { database, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { type ClientDocuments, openClientDocuments } from './clients.ts'
import { createProvider } from './provider.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const servers: (Server | HttpServer)[] = []
const opened: ClientDocuments[] = []
let node: TestNode

test.beforeAll(() => {
  node = startNode({ database, clock })
})
afterEach(async () => {
  for (const documents of opened.splice(0)) await documents.close()
  for (const server of servers.splice(0)) await new Promise(resolve => server.close(resolve))
})
afterAll(() => node.ledger.close())

function openDocuments(mode: 'sandbox' | 'live'): ClientDocuments {
  const documents = openClientDocuments(mode)
  opened.push(documents)
  return documents
}

/** The OAuth server of a node. */
function providerIn(mode: 'sandbox' | 'live'): Provider {
  const context = { ...node, ...{ database, clock, vault: TEST_VAULT, logger: silentLogger() } }
  return createProvider(
    { ...context, baseUrl: 'https://batua.example' },
    { documents: openDocuments(mode), consentUrl: () => '/' },
  )
}

async function listen<One extends Server | HttpServer>(server: One): Promise<number> {
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** A port of this machine, and how many connections were made to it. */
async function listenForAnybody(): Promise<{ readonly port: number; readonly connections: () => number }> {
  let connections = 0
  const port = await listen(
    createServer(socket => {
      connections += 1
      socket.destroy()
    }),
  )
  return { port, connections: () => connections }
}

test('in live mode no document is read from this machine or a private network, by whatever name, and nothing connects to it', async () => {
  const { port, connections } = await listenForAnybody()
  const provider = providerIn('live')
  for (const host of [
    ...['127.0.0.1', 'localhost', 'client.localhost', '[::1]', '0.0.0.0', '2130706433', '0x7f.1'],
    ...['[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'],
    ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '[fd00::1]'],
    ...['169.254.169.254', '[fe80::1]', '[::ffff:169.254.169.254]', '168.63.129.16'],
  ]) {
    const id = `https://${host}:${port}/client.json`
    await expect(provider.Client.find(id), id).rejects.toMatchObject({ error: 'invalid_client' })
  }
  expect(connections()).toBe(0)
})

test.each([
  'http://127.0.0.1',
  'http://localhost',
  'http://assistant.example',
  'file:///etc',
  'ftp://127.0.0.1',
])('in live mode a client is no address without TLS: %s', async address => {
  const { port, connections } = await listenForAnybody()
  const id = `${address}:${port}/client.json`
  expect(await providerIn('live').Client.find(id)).toBeUndefined()
  const { fetch } = openDocuments('live')
  await expect(fetch(id)).rejects.toThrow()
  expect(connections()).toBe(0)
})

test('a document that is at another address is not read there, on this machine or at a metadata service', async () => {
  const { port, connections } = await listenForAnybody()
  for (const location of [
    `http://127.0.0.1:${port}/client.json`,
    `https://127.0.0.1:${port}/client.json`,
    'http://169.254.169.254/latest/meta-data/',
  ]) {
    const moved = await listen(
      createHttpServer((_request, response) => response.writeHead(302, { location }).end()),
    )
    expect(await providerIn('sandbox').Client.find(`http://127.0.0.1:${moved}/client.json`)).toBeUndefined()
  }
  expect(connections()).toBe(0)
})
