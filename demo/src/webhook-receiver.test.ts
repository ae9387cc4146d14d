import { connect } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test } from 'vitest'
import { type Arrival, openReceiver, type Receiver, type ReceiverOptions } from './webhook-receiver.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const BODY = JSON.stringify({ id: 'evt_1', event: 'webhook.test', data: { platform_id: 'plt_1' } })

let receiver: Receiver | null = null
let arrivals: Arrival[] = []

afterEach(() => {
  receiver?.close()
  receiver = null
})

async function open(options: Partial<ReceiverOptions> = {}): Promise<string> {
  arrivals = []
  receiver = await openReceiver({
    port: 0,
    secrets: [SECRET],
    onArrival: arrival => arrivals.push(arrival),
    ...options,
  })
  return receiver.address
}

function signed(body: string, secrets: readonly string[], at = new Date()): Record<string, string> {
  const id = 'evt_1'
  const signatures = secrets.map(secret => new Webhook(secret).sign(id, at, body))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}

async function post(address: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(address, { method: 'POST', body, headers })
  await response.text()
  return response.status
}

function reasons(): (string | null)[] {
  return arrivals.map(({ verification }) => (verification.verified ? null : verification.reason))
}

test('a signed webhook is verified, and recognised when it is repeated', async () => {
  const address = await open()
  expect(await post(address, BODY, signed(BODY, [SECRET]))).toBe(204)
  expect(await post(address, BODY, signed(BODY, [SECRET]))).toBe(204)
  expect(reasons()).toEqual([null, null])
  expect(arrivals.map(({ isAgain }) => isAgain)).toEqual([false, true])
})

test('during a rotation of the secret either side may change first', async () => {
  const both = await open({ secrets: [OTHER, SECRET] })
  expect(await post(both, BODY, signed(BODY, [SECRET]))).toBe(204)
  receiver?.close()
  const old = await open()
  expect(await post(old, BODY, signed(BODY, [OTHER, SECRET]))).toBe(204)
})

test('a webhook that fails verification gets 400 with the reason', async () => {
  const address = await open()
  const longAgo = new Date(Date.now() - 301_000)
  expect(await post(address, BODY)).toBe(400)
  expect(await post(address, BODY, signed(BODY, [OTHER]))).toBe(400)
  expect(await post(address, `${BODY} `, signed(BODY, [SECRET]))).toBe(400)
  expect(await post(address, BODY, signed(BODY, [SECRET], longAgo))).toBe(400)
  expect(await post(address, '[', signed('[', [SECRET]))).toBe(400)
  expect(await post(address, 'null', signed('null', [SECRET]))).toBe(400)
  expect(reasons()).toEqual([
    'it is not signed at all',
    'another secret signed it, or it was changed on the way',
    'another secret signed it, or it was changed on the way',
    'it was signed more than five minutes ago, or this machine’s clock is ahead',
    'its signature is good, but its body is no JSON',
    'its signature is good, but its body is no webhook of this service',
  ])
})

test('a failing receiver is simulated only for genuine webhooks', async () => {
  const address = await open({ status: 503, delayMs: 1 })
  expect(await post(address, BODY, signed(BODY, [SECRET]))).toBe(503)
  expect(await post(address, BODY)).toBe(400)
})

test('large bodies, invalid HTTP and broken connections do not stop the receiver', async () => {
  const address = await open()
  const oneMib = 1024 * 1024
  expect(await post(address, 'x'.repeat(oneMib))).toBe(400)
  expect(await raw(address, `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${oneMib + 1}\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 413 /,
  )
  const chunk = `${oneMib.toString(16)}\r\n${'x'.repeat(oneMib)}\r\n`
  await raw(address, `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunk}1\r\ny\r\n`)
  expect(await raw(address, 'garbage\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /)
  await raw(address, 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nx', true)
  expect((await fetch(address)).status).toBe(405)
  expect(await post(address, BODY, signed(BODY, [SECRET]))).toBe(204)
})

/** Sends bytes, and returns what was received until the connection ended. */
function raw(address: string, bytes: string, breakOff = false): Promise<string> {
  const { hostname, port } = new URL(address)
  return new Promise(resolve => {
    let response = ''
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes, () => {
        if (breakOff) socket.resetAndDestroy()
      })
    })
    socket.setEncoding('utf8').on('data', (text: string) => {
      response += text
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(response))
  })
}
