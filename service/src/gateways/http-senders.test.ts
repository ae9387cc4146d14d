import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createHttpOtpSender, type HttpSenderOptions } from './http-senders.ts'

const MESSAGE = { phone: '9876543210', code: '042917', validMinutes: 5 }

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Behaviour = (seen: Seen, response: ServerResponse) => void

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** A provider with the given behaviour, and a sender that is set up for it. */
async function provider(behave: Behaviour, change: Partial<HttpSenderOptions> = {}, timeoutMs = 5_000) {
  const requests: Seen[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
      requests.push(seen)
      behave(seen, response)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const optionsFor = (change: Partial<HttpSenderOptions>): HttpSenderOptions => ({
    method: 'POST',
    url: `http://127.0.0.1:${port}/send`,
    token: 'secret-token',
    authHeader: 'authorization',
    body: { format: 'json', template: { to: '{phone91}', code: '{code}' } },
    entityId: null,
    templateId: null,
    senderId: null,
    successText: null,
    ...change,
  })
  return {
    sender: createHttpOtpSender(optionsFor(change), { timeoutMs }),
    requests,
    port,
    server,
    optionsFor,
  }
}

const accept: Behaviour = (_seen, response) => response.end('{"type":"success"}')

test('a message is posted as JSON with the bearer token', async () => {
  const { sender, requests } = await provider(accept)
  expect(await sender.send(MESSAGE)).toEqual({ kind: 'value', value: 'sent' })
  expect(requests).toMatchObject([
    {
      method: 'POST',
      url: '/send',
      headers: { 'content-type': 'application/json', authorization: 'Bearer secret-token' },
    },
  ])
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ to: '919876543210', code: '042917' })
})

test('a template with DLT ids is filled in, and no value can break out of its place', async () => {
  const template = {
    text: '{code} is your code. Valid {minutes} min. {#var#}',
    dlt: [{ pe: '{entity_id}', te: '{template_id}' }],
    sender: '{sender_id}',
    key: '{token}',
    flash: 0,
    '{phone}': true,
  }
  const ids = { entityId: '1101', templateId: '1107', senderId: 'BATUAX', token: '"}{code}' }
  const change = { ...ids, authHeader: 'none', body: { format: 'json', template } } as const
  const { sender, requests } = await provider(accept, change)
  await sender.send(MESSAGE)
  expect(requests[0]?.headers).not.toHaveProperty('authorization')
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    text: '042917 is your code. Valid 5 min. {#var#}',
    dlt: [{ pe: '1101', te: '1107' }],
    sender: 'BATUAX',
    key: '"}{code}',
    flash: 0,
    '9876543210': true,
  })
})

test('a form is encoded, and a header of the provider’s own has the token alone', async () => {
  const fields = [
    ['to', '{phone}'],
    ['text', 'Code {code} & more'],
  ] as const
  const { sender, requests } = await provider(accept, {
    authHeader: 'authkey',
    body: { format: 'form', fields },
  })
  await sender.send(MESSAGE)
  expect(requests[0]?.headers).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded',
    authkey: 'secret-token',
  })
  expect(requests[0]?.body).toBe('to=9876543210&text=Code+042917+%26+more')
})

test('a provider that is asked by its address alone gets no body', async () => {
  const { optionsFor, requests, port } = await provider(accept)
  const options = optionsFor({
    method: 'GET',
    body: { format: 'none' },
    url: `http://127.0.0.1:${port}/{token}/SMS/{phone}/{code}?t={entity_id}`,
    token: 'a/b c',
    entityId: '1&2',
  })
  await createHttpOtpSender(options).send(MESSAGE)
  expect(requests).toMatchObject([
    { method: 'GET', url: '/a%2Fb%20c/SMS/9876543210/042917?t=1%262', body: '' },
  ])
})

test.each([
  [400, 'rejected'],
  [401, 'rejected'],
  [429, 'rejected'],
  [500, 'rejected'],
  [503, 'rejected'],
])('a response of %d is a failure and is not repeated', async (status, kind) => {
  const { sender, requests } = await provider((seen, response) => {
    response.writeHead(status).end(seen.body)
  })
  const response = await sender.send(MESSAGE)
  expect(response).toEqual({ kind, code: String(status), message: `the provider returned ${status}` })
  expect(requests).toHaveLength(1)
})

test('a redirect is not followed, since it would hand the code on', async () => {
  const thief = await provider(accept)
  const { sender } = await provider((_seen, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${thief.port}/` }).end()
  })
  expect(await sender.send(MESSAGE)).toMatchObject({ kind: 'rejected', code: '307' })
  expect(thief.requests).toEqual([])
})

test.each([
  ['{"type":"success"}', 'value'],
  ['{"type":"error","message":"template mismatch"}', 'rejected'],
  ['', 'rejected'],
  ['\u0000garbage', 'rejected'],
])('where success has a text, a response of %j is %s', async (text, kind) => {
  const { sender } = await provider((_seen, response) => response.end(text), { successText: '"success"' })
  expect((await sender.send(MESSAGE)).kind).toBe(kind)
})

test('a response without end is cut off', async () => {
  let written = 0
  const { sender } = await provider((_seen, response) => {
    const pour = () => {
      while (written < 200_000_000 && response.writable) {
        written += 65_536
        if (!response.write(Buffer.alloc(65_536, 'x'))) break
      }
    }
    response.on('drain', pour)
    pour()
  })
  expect((await sender.send(MESSAGE)).kind).toBe('value')
  expect(written).toBeLessThan(50_000_000)
})

test.each([
  ['says nothing', () => undefined],
  ['never ends its response', (_seen: Seen, response: ServerResponse) => void response.write('{')],
])('a provider that %s is given up, and nothing is sent twice', async (_what, behave) => {
  const { sender, requests } = await provider(behave, {}, 150)
  expect(await sender.send(MESSAGE)).toEqual({
    kind: 'unknown',
    message: 'the provider did not respond in time',
  })
  expect(requests).toHaveLength(1)
})

test('a connection that breaks after the message was sent is not tried again', async () => {
  const { sender, requests } = await provider((_seen, response) => response.destroy())
  const response = await sender.send(MESSAGE)
  expect(response.kind).toBe('unknown')
  expect(requests).toHaveLength(1)
  expect(JSON.stringify(response)).not.toMatch(/9876543210|042917|secret-token/)
})

test('where no connection can be made, it is tried once more', async () => {
  const { server, port, requests, optionsFor } = await provider(accept)
  await closed(server)
  let pauses = 0
  const stillAway = createHttpOtpSender(optionsFor({}), { pause: async () => void pauses++ })
  expect(await stillAway.send(MESSAGE)).toEqual({
    kind: 'retryable',
    message: 'no connection: ECONNREFUSED',
  })
  expect(pauses).toBe(1)

  const backAgain = createHttpOtpSender(optionsFor({}), {
    pause: () => new Promise(resolve => server.listen(port, '127.0.0.1', resolve)),
  })
  expect((await backAgain.send(MESSAGE)).kind).toBe('value')
  expect(requests).toHaveLength(1)
})

function closed(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()))
}
