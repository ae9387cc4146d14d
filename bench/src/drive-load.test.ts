import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { driveLoad } from './drive-load.ts'
import type { LoadReport } from './messages.ts'

const REQUEST = Buffer.from('POST /pay HTTP/1.1\r\nhost: test\r\ncontent-length: 2\r\n\r\n{}')
const servers: ReturnType<typeof createServer>[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})

async function drive(
  respond: RequestListener,
  connections: number,
  pace: { perSecond?: number } = {},
): Promise<LoadReport> {
  const server = createServer(respond)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const order = {
    kind: 'order',
    connections,
    payee: 'random',
    agents: 'usual',
    warmUpMs: 20,
    measureMs: 100,
    ...pace,
  } as const
  return driveLoad(port, { next: () => REQUEST }, order, { onBegan: () => {}, onEnded: () => {} })
}

function reply(status: number): RequestListener {
  return (request, response) => {
    request.resume()
    response.writeHead(status, { 'content-length': 2 }).end('{}')
  }
}

it('every acknowledged payment is reported as paid, also those after the window', async () => {
  let paid = 0
  const ok = reply(200)
  const report = await drive((request, response) => {
    // Slower than the window is long: requests in progress at its end must be awaited.
    setTimeout(() => {
      paid++
      ok(request, response)
    }, 75)
  }, 8)
  expect(report.paid).toBe(paid)
  expect(report.paid).toBeGreaterThan(report.counted)
  expect(report.refused).toEqual({})
})

it('a response other than 200 counts as refused by its status and never as paid', async () => {
  const report = await drive(reply(402), 2)
  expect(report.paid).toBe(0)
  expect(report.counted).toBe(0)
  expect(report.refused['402']).toBeGreaterThan(0)
  expect(report.refusal).toBe('{}')
})

it('lost connections are reported and end the load', async () => {
  const report = await drive(request => request.socket.destroy(), 3)
  expect(report.refused).toEqual({ lost: 3 })
})

it('a paced load sends its rate and no more, however fast the responses are', async () => {
  const connections = 8
  const perSecond = 500
  const report = await drive(reply(200), connections, { perSecond })
  expect(report.counted).toBeGreaterThan(25)
  // What was late at the beginning is sent at once, over the free connections.
  expect(report.counted).toBeLessThanOrEqual(perSecond * report.seconds + connections)
  expect(report.refused).toEqual({})
})

it('a paced load ends when connections are lost', async () => {
  const report = await drive(request => request.socket.destroy(), 3, { perSecond: 500 })
  expect(report.refused).toEqual({ lost: 3 })
})

it('the load does not wait for a connection that is lost while it is idle', async () => {
  const hangUp: RequestListener = (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-length': 2, connection: 'close' }).end('{}')
  }
  const report = await drive(hangUp, 8, { perSecond: 30 })
  expect(report.paid).toBeGreaterThan(0)
  expect(report.refused).toEqual({ lost: report.paid })
})
