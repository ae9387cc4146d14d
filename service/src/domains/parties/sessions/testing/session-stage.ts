import { rejected, value } from '../../../../gateways/gateway-result.ts'
import type { OtpMessage, OtpSender } from '../../../../gateways/message-senders.ts'
import type { Uuid } from '../../../../kernel/ids.ts'
import { createLogger } from '../../../../kernel/logger.ts'
import { createTestDatabase, type TestDatabase } from '../../../../testing/database.ts'
import { testOn } from '../../../../testing/database-test.ts'
import { type ManualClock, manualClock } from '../../../../testing/manual-clock.ts'
import {
  type NetworkContext,
  networkContext,
  newPlatform,
  randomPan,
  randomPhone,
  TEST_VAULT,
} from '../../../../testing/network.ts'
import { call, type Reply, startTestServer, type TestServer } from '../../../../testing/test-server.ts'
import { createSignalRecorder } from '../../../risk/signals.ts'
import { createOwner } from '../../owners/create-owner.ts'
import { serveOwners } from '../../owners/routes.ts'
import type { Owner } from '../../owners/store.ts'
import { createAuthenticators } from '../../platforms/credentials.ts'
import { createSessionAuthenticators } from '../authenticate.ts'
import type { SessionsContext } from '../context.ts'
import { openOtpDispatcher } from '../otp-dispatcher.ts'
import { serveSessions } from '../routes.ts'

export type Kind = 'owner' | 'admin'

/** Login over HTTP with a real database, a manual clock, and a recording sender of messages. */
export interface Stage {
  readonly db: TestDatabase
  readonly clock: ManualClock
  readonly network: NetworkContext
  readonly context: SessionsContext
  readonly server: TestServer
  readonly adminPhones: string[]
  /** All messages in the order of sending. */
  readonly sent: OtpMessage[]
  readonly log: string[]
  /** Makes the sender refuse the next messages. */
  failSending(message: string): void
  newOwner(phone?: string, platformId?: Uuid): Promise<Owner & { readonly number: string }>
  sendOtp(phone: string, kind?: Kind, headers?: Record<string, string>): Promise<Reply>
  verifyOtp(phone: string, code: string, kind?: Kind, headers?: Record<string, string>): Promise<Reply>
  /** The last code sent to a phone. */
  codeOf(phone: string): Promise<string>
  /** Logs in and returns the headers that the browser sends from then on. */
  logIn(phone: string, kind?: Kind): Promise<{ readonly cookie: string; readonly origin: string }>
  ask(method: string, path: string, headers?: Record<string, string>): Promise<Reply>
  close(): Promise<void>
}

const BASE: Record<Kind, string> = { owner: '/v1/auth', admin: '/v1/admin/auth' }
const ORIGIN = 'http://batua.test'

/** The stage of the test file that runs: `test` opens it before the first test and closes it after the last. */
export let stage: Stage

export const test = testOn(
  () => openStage(),
  opened => {
    stage = opened
  },
)

export async function openStage({ secure = false } = {}): Promise<Stage> {
  const db = await createTestDatabase()
  const clock = manualClock(new Date('2026-11-20T10:15:30.000Z'))
  const network = networkContext(db.database, clock)
  const sent: OtpMessage[] = []
  const log: string[] = []
  const adminPhones: string[] = ['9999999999']
  let failure: string | null = null
  const sender: OtpSender = {
    name: 'test',
    async send(message) {
      if (failure !== null) return rejected('500', failure)
      sent.push(message)
      return value('sent')
    },
  }
  const logger = createLogger('debug', { write: line => void log.push(line) })
  const login = { adminPhones, adminTotpSecrets: new Map(), signals: createSignalRecorder(clock) }
  const context = { ...network, ...login, otpDispatcher: openOtpDispatcher(sender, logger) }
  const keys = createAuthenticators(db.database, TEST_VAULT)
  const register = ({ serve }: Pick<TestServer, 'serve'>) => {
    serveSessions(serve, { ...context, secure, authenticators: keys, onSessionsEnded: async () => undefined })
    serveOwners(serve, network)
  }
  const server = await startTestServer(register, {
    database: db.database,
    authenticators: { ...keys, ...createSessionAuthenticators(context) },
    clock,
    logger,
    trustProxy: ['loopback'],
  })
  const { platform } = await newPlatform(network)

  const stage: Stage = {
    db,
    clock,
    network,
    context,
    server,
    adminPhones,
    sent,
    log,
    failSending(message) {
      failure = message
    },
    async newOwner(number = randomPhone(), platformId = platform.id) {
      const person = { name: 'Asha Rao', phone: number, pan: randomPan() }
      return { ...(await createOwner(network, platformId, person)), number }
    },
    sendOtp: (phone, kind = 'owner', headers = {}) =>
      call(server, 'POST', `${BASE[kind]}/send-otp`, { body: { phone }, headers }),
    verifyOtp: (phone, code, kind = 'owner', headers = {}) =>
      call(server, 'POST', `${BASE[kind]}/verify-otp`, { body: { phone, code }, headers }),
    async codeOf(phone) {
      await context.otpDispatcher.drained()
      return sent.findLast(message => message.phone === phone)?.code ?? 'none'
    },
    async logIn(phone, kind = 'owner') {
      await stage.sendOtp(phone, kind)
      const { headers } = await stage.verifyOtp(phone, await stage.codeOf(phone), kind)
      return { cookie: cookieOf(headers), origin: ORIGIN }
    },
    ask: (method, path, headers = {}) => call(server, method, path, { headers }),
    async close() {
      await server.close()
      await context.otpDispatcher.drained()
      await db.drop()
    },
  }
  return stage
}

/** The header that a proxy adds for a client at this address. */
export function from(address: string): Record<string, string> {
  return { 'x-forwarded-for': address }
}

/** The cookie of a response as a browser sends it back. */
export function cookieOf(headers: Headers): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? 'none'
}

/** The cookie by which a response identifies the browser. */
export function browserOf(headers: Headers, kind: Kind = 'owner'): string {
  const name = kind === 'owner' ? 'service_browser=' : 'service_admin_browser='
  const cookie = headers.getSetCookie().find(text => text.startsWith(name))
  return cookie?.split(';')[0] ?? 'none'
}

/** A code that differs from this one. */
export function otherThan(code: string, step = 1): string {
  return String((Number(code) + step) % 1_000_000).padStart(6, '0')
}
