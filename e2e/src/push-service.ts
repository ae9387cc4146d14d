import { createECDH, type ECDH, randomBytes, webcrypto } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { importJWK, jwtVerify } from 'jose'

/** A notification as a browser shows it. */
export interface Shown {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly path: string
}

/** A browser that subscribed: what it gives to the service, and what its push service got for it. */
export interface TestBrowser {
  readonly subscription: {
    readonly endpoint: string
    readonly keys: { readonly p256dh: string; readonly auth: string }
  }
  /** What was accepted for it, decrypted. */
  readonly shown: Shown[]
  /** How often the push service was asked, whatever it responded. */
  attempts(): number
}

/** What the push service responds to each request: a status, or a connection that breaks. */
export type PushReply = { readonly status: number; readonly retryAfter?: string } | 'break' | 'hang'

/** A push service on loopback. It verifies who sends (RFC 8292), and its browsers decrypt (RFC 8291). */
export interface PushService {
  readonly address: string
  browser(): TestBrowser
  /** The next requests get these responses, then 201 again. */
  reply(...replies: PushReply[]): void
  /** The key for which browsers subscribe; set by the test from `push_public_key`. */
  publicKey: string
  /** What was wrong with requests; empty: nothing. */
  readonly faults: string[]
  readonly heads: { readonly ttl: number; readonly urgency: string; readonly bytes: number }[]
  close(): Promise<void>
}

interface Browser extends TestBrowser {
  readonly key: ECDH
  readonly auth: Buffer
  count: number
}

export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, Browser>()
  const replies: PushReply[] = []
  const faults: string[] = []
  const heads: PushService['heads'] = []
  let address = ''

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    const browser = browsers.get(request.url ?? '')
    if (browser === undefined) return void response.writeHead(404).end()
    browser.count++
    await verifyHead(request, address, service.publicKey)
    const next = replies.shift() ?? { status: 201 }
    if (next === 'break') return void response.destroy()
    if (next === 'hang') return
    const { ttl = '', urgency = '' } = request.headers
    heads.push({ ttl: Number(ttl), urgency: String(urgency), bytes: body.length })
    if (next.status === 201) browser.shown.push(JSON.parse(await decrypt(browser, body)) as Shown)
    if (next.retryAfter !== undefined) response.setHeader('retry-after', next.retryAfter)
    response.writeHead(next.status).end()
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      faults.push(String(error))
      response.writeHead(400).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const service: PushService = {
    address,
    publicKey: '',
    faults,
    heads,
    browser() {
      const made = newBrowser(address)
      browsers.set(new URL(made.subscription.endpoint).pathname, made)
      return made
    },
    reply: (...given) => void replies.push(...given),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return service
}

function newBrowser(address: string): Browser {
  const key = createECDH('prime256v1')
  const p256dh = key.generateKeys('base64url')
  const auth = randomBytes(16)
  const browser: Browser = {
    key,
    auth,
    count: 0,
    shown: [],
    subscription: {
      endpoint: `${address}/send/${randomBytes(24).toString('base64url')}`,
      keys: { p256dh, auth: auth.toString('base64url') },
    },
    attempts: () => browser.count,
  }
  return browser
}

/** A subscription at a push service that does not exist. */
export function newSubscription(): TestBrowser['subscription'] {
  return newBrowser('http://127.0.0.1:9').subscription
}

/** By jose: the token is signed by the key that the browser subscribed for, for this origin, for less than a day. */
async function verifyHead({ headers }: IncomingMessage, origin: string, expected: string): Promise<void> {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? []
  if (key !== expected) throw new Error('another key than the browser subscribed for')
  const point = Buffer.from(key, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const { payload } = await jwtVerify(token, await importJWK(jwk, 'ES256'), { audience: origin })
  const left = (payload.exp ?? 0) - Date.now() / 1_000
  if (left <= 0 || left > 86_400) throw new Error('the token holds for more than a day')
  if (!/^(mailto:|https:)/.test(payload.sub ?? '')) throw new Error('the token names no contact')
  if (headers['content-encoding'] !== 'aes128gcm') throw new Error('another encoding')
}

const { subtle } = webcrypto
type Bytes = Uint8Array<ArrayBuffer>
const text = (value: string): Bytes => new TextEncoder().encode(value)

/** RFC 8188 and RFC 8291 by WebCrypto, independently of the service’s library. One record, as push services want. */
async function decrypt({ key, auth }: Browser, body: Buffer): Promise<string> {
  const salt = new Uint8Array(body.subarray(0, 16))
  const length = body[20] ?? 0
  const sender = new Uint8Array(body.subarray(21, 21 + length))
  const record = new Uint8Array(body.subarray(21 + length))
  if (record.length > body.readUInt32BE(16)) throw new Error('more than one record')
  const shared = new Uint8Array(key.computeSecret(sender))
  const both = Buffer.concat([text('WebPush: info\0'), key.getPublicKey(), sender])
  const secret = await expand(shared, new Uint8Array(auth), new Uint8Array(both), 32)
  const contentKey = await expand(secret, salt, text('Content-Encoding: aes128gcm\0'), 16)
  const iv = await expand(secret, salt, text('Content-Encoding: nonce\0'), 12)
  const aes = await subtle.importKey('raw', contentKey, 'AES-GCM', false, ['decrypt'])
  const plain = Buffer.from(await subtle.decrypt({ name: 'AES-GCM', iv }, aes, record))
  const end = plain.findLastIndex(byte => byte !== 0)
  if (plain[end] !== 2) throw new Error('the last record does not end as it must')
  return plain.subarray(0, end).toString('utf8')
}

async function expand(secret: Bytes, salt: Bytes, info: Bytes, bytes: number): Promise<Bytes> {
  const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  return new Uint8Array(
    await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, bytes * 8),
  )
}
