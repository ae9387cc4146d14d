import { createHash, randomUUID } from 'node:crypto'
import { ERROR_STATUS, type OperationId, type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTraceCollector, type TraceCollector } from '../service/src/testing/trace-collector.ts'
import { type Api, type CallOf, pathOf, type Reply, type Sent } from './src/api.ts'
import { ADMIN_PHONES } from './src/log-in.ts'
import { headerOf, openOAuth } from './src/oauth.ts'
import { leaksIn, type Planted, writtenBy } from './src/planted.ts'
import { CLEAR_FIELDS, CONFIDENTIAL_FIELDS, confidentialIn, textFields } from './src/planted-fields.ts'
import { changingCall } from './src/recorded.ts'
import { DESTRUCTIVE, kindFor, ownHeaders, type Row } from './src/route-table.ts'
import { openStage, type Stage } from './src/stage.ts'
import { VALID_CALLS } from './src/valid-calls.ts'
import { openWorld, type World } from './src/world.ts'

const SLOW_MACHINE = { timeout: 240_000 }

/** The client of every request: an address of a test network (RFC 5737) and a browser. */
const ADDRESS = '203.0.113.77'
const BROWSER = 'Planted-Browser-qz81'

let stage: Stage
let collector: TraceCollector
let api: Api
let world: World
const planted = new Map<string, string>()
const requests: { readonly what: string; readonly digest: Buffer }[] = []

beforeAll(async () => {
  collector = await openTraceCollector()
  stage = await openStage({
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER: 'always_on',
    TRUST_PROXY: 'loopback',
    ADMIN_PHONES: `${ADMIN_PHONES.sandbox},${ADMIN_PHONES.fresh}`,
  })
  api = plantingApi(stage.api)
  world = await openWorld(api)
}, 60_000)
afterAll(async () => {
  await stage.close()
  await collector.close()
})

function plant(what: string, value: string): void {
  // The sandbox's administrator has a public number; short texts and '000000' appear everywhere by chance.
  // The code of an error is no one-time code: the log of requests has it.
  const isPublic =
    value === ADMIN_PHONES.sandbox || value === '000000' || Object.keys(ERROR_STATUS).includes(value)
  if (value.length >= 6 && !isPublic) planted.set(value, what)
}

/** Records the request and response of each call, from a marked address and with an Idempotency-Key. */
function plantingApi(api: Api): Api {
  const marked = (route: Route, call: Sent = {}): Sent => ({
    ...call,
    headers: {
      'x-forwarded-for': ADDRESS,
      'user-agent': BROWSER,
      ...(route.method === 'POST' ? { 'idempotency-key': randomUUID() } : {}),
      ...call.headers,
    },
  })
  const remember = (route: Route, call: Sent = {}, reply?: Reply): void => {
    const name = route.operationId
    for (const { what, value } of [...confidentialIn(call.body), ...confidentialIn(call.params)])
      plant(`${what} sent to ${name}`, value)
    for (const { what, value } of confidentialIn(reply?.body)) plant(`${what} returned by ${name}`, value)
    for (const cookie of reply?.headers.getSetCookie() ?? [])
      plant(`cookie set by ${name}`, cookie.split(';')[0]?.split('=')[1] ?? '')
    if (call.body === undefined) return
    const text = `${route.method} ${pathOf(route, call)}\n${JSON.stringify(call.body)}`
    for (const digested of [text, JSON.stringify(call.body)])
      requests.push({
        what: `digest of a request of ${name}`,
        digest: createHash('sha256').update(digested).digest(),
      })
  }
  async function send(route: Route, call: Sent = {}): Promise<Reply> {
    const reply = await api.send(route, marked(route, call))
    remember(route, call, reply)
    return reply
  }
  return {
    ...api,
    send,
    async ok<R extends Route>(route: R, call: CallOf<R> = {}) {
      const reply = await send(route, call)
      if (reply.status !== route.status)
        throw new Error(`${route.operationId}: ${reply.status} ${reply.text}`)
      return reply.body as Awaited<ReturnType<typeof api.ok<R>>>
    },
    async refused(route, status, code, call) {
      remember(route, call)
      return api.refused(route, status, code, marked(route, call))
    },
  }
}

test('the search finds a planted value in any encoding', () => {
  const value = 'ABCPK1234Q'
  const bytes = Buffer.from(value)
  const written = [
    `{"pan":"${value}"}`,
    value.toLowerCase(),
    value.split('').toReversed().join(''),
    bytes.toString('hex'),
    Buffer.from(`x${value}y`).toString('base64'),
    Buffer.from(`xy${value}`).toString('base64url'),
    Buffer.from(Buffer.from(`{"pan":"${value}"}`).toString('base64')).toString('hex'),
    Buffer.from(value, 'utf16le').toString('hex'),
    createHash('sha256').update(value).digest('hex'),
    createHash('md5').update(value).digest('base64'),
  ]
  for (const text of written) {
    const found = leaksIn([{ place: 'a table', text }], [{ what: 'pan', value, canBeGuessed: true }])
    expect(found, text).toEqual(['pan in a table'])
  }
})

test('every text field of every route is either planted or listed as readable, with the reason', () => {
  const unknown = [...textFields()].filter(
    ([name]) => !CONFIDENTIAL_FIELDS.includes(name) && CLEAR_FIELDS[name] === undefined,
  )
  expect(unknown).toEqual([])
})

const table = Object.entries(routes) as Row[]

const CHANGES_ITS_WORLD: readonly OperationId[] = [...DESTRUCTIVE, 'nameTreasury']

/** Routes of the consent page, which need the cookies of the browser that a client has sent there. */
const CONNECTING: readonly OperationId[] = ['getConnectRequest', 'allowConnectRequest', 'denyConnectRequest']

async function connecting(operation: OperationId, own: World): Promise<Sent> {
  const oauth = openOAuth(stage.service.address)
  const { asked } = await oauth.authorize(await oauth.newClient())
  for (const value of asked.cookies.values()) plant('the cookie of a consent page', value)
  return {
    ...VALID_CALLS[operation](own),
    params: { request_id: asked.requestId },
    headers: { ...own.ownerHeaders, cookie: `${own.ownerHeaders['cookie']}; ${headerOf(asked.cookies)}` },
  }
}

/** The tokens of an app, which no route of the contract returns. */
async function plantTokens(): Promise<void> {
  const oauth = openOAuth(stage.service.address)
  const { access_token, refresh_token, clientId } = await oauth.connect(world.payer, world.ownerHeaders)
  plant('the access token of an app', access_token)
  plant('the refresh token of an app', refresh_token)
  const { body } = await oauth.refresh(clientId, refresh_token)
  plant('the next access token of an app', String(body['access_token']))
  plant('the next refresh token of an app', String(body['refresh_token']))
}

/** Their valid calls need a shop. What a listing shows is public. */
const REFUSED_HERE: Partial<Record<OperationId, number>> = { registerListing: 400, deleteListing: 404 }

async function callOnce(operation: OperationId, route: Route): Promise<void> {
  const own = CHANGES_ITS_WORLD.includes(operation) ? await openWorld(api) : world
  const call = await (CONNECTING.includes(operation)
    ? connecting(operation, own)
    : changingCall(operation, own))
  const kind = kindFor(route, 'platform')
  const headers = {
    ...call.headers,
    ...(kind === null || CONNECTING.includes(operation) ? {} : ownHeaders(own, operation, kind)),
  }
  const reply = await api.send(route, { ...call, headers })
  const expected = REFUSED_HERE[operation] ?? route.status
  expect.soft([expected, 401], `${operation}: ${reply.text}`).toContain(reply.status)
  // The same with a fault: a refused request is stored nowhere either.
  const { body } = call
  if (typeof body === 'object' && body !== null)
    await api.send(route, { ...call, headers, body: { ...body, unknown_field: 'x' } })
}

test(
  'nothing personal and no secret that any route takes or responses is readable in the database, the log, the metrics or the spans',
  SLOW_MACHINE,
  async () => {
    for (const [operation, route] of table) {
      if (!LAST.includes(operation)) await callOnce(operation, route)
    }
    await plantTokens()
    for (const operation of LAST) await callOnce(operation, routes[operation])
    await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })

    plant('the address of a client', ADDRESS)
    plant('the browser of a client', BROWSER)
    const values = [...planted].map(
      ([value, what]): Planted => ({
        what,
        value,
        canBeGuessed: !RANDOM.some(name => what.startsWith(name)),
      }),
    )
    // There are many planted values of each kind; otherwise the test would search for nothing.
    const kinds = new Set(values.map(({ what }) => what.split(' ')[0]))
    expect(kinds).toEqual(
      new Set([...CONFIDENTIAL_FIELDS.filter(name => !ABSENT.includes(name)), 'cookie', 'the']),
    )

    const searched = [...(await writtenBy(stage)), { place: 'the spans', text: collector.text() }]
    expect(collector.spans().length).toBeGreaterThan(table.length)
    expect(searched.find(({ place }) => place === 'table idempotent_requests')?.text.length).toBeGreaterThan(
      1_000,
    )
    const readable = leaksIn(searched, values)
    const digests = searched.flatMap(({ place, text }) =>
      requests
        .filter(({ digest }) => text.includes(digest.toString('hex')))
        .map(({ what }) => `${what} in ${place}`),
    )
    expect([...readable, ...new Set(digests)]).toEqual([])
  },
)

/** Confidential fields that no call here sends or returns. */
const ABSENT = ['totp', 'totp_secret']

/** These have 256 random bits, so their digests reveal nothing. */
const RANDOM = ['agent_key', 'auth', 'cookie', 'endpoint', 'p256dh', 'platform_secret', 'webhook_secret']

/** Their success ends the credentials of the others. */
const LAST: readonly OperationId[] = ['logOutAdmin']
