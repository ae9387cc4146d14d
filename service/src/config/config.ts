import type { RateLimitConfig } from '../http/admission/rate-limit.ts'
import { holidayFileProblem } from '../kernel/holiday-file.ts'
import { LOG_LEVELS, type LogLevel } from '../kernel/logger.ts'
import type { TracingSettings } from '../kernel/tracing.ts'
import { readAdminTotp } from './admin-totp.ts'
import { type CashfreeConfig, readCashfree } from './cashfree.ts'
import { type Env, type EnvReader, readEnv } from './env-reader.ts'
import {
  anyText,
  base64,
  databaseUrl,
  integer,
  isNetwork,
  listOf,
  matching,
  oneOf,
  phones,
  processes,
  publicUrl,
  url,
  type ValueKind,
} from './env-values.ts'
import { type NotificationsConfig, readNotifications } from './notifications.ts'
import { type OtpSenderConfig, readOtpSender } from './otp-sender.ts'
import { readTextMessages, type TextMessagesConfig } from './text-messages.ts'
import { readTracing } from './tracing.ts'

export type { CashfreeConfig } from './cashfree.ts'
export type { OtpSenderConfig } from './otp-sender.ts'

export type Mode = 'sandbox' | 'live'

/** The operator's configuration; every value is checked. */
export interface Config {
  readonly mode: Mode
  /** Issuer of certificates and name in the key document. */
  readonly serviceName: string
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** The processes that serve this port. */
  readonly workers: number
  /** The public address without a slash at its end. */
  readonly baseUrl: string
  readonly checkoutUrl: string
  /** Proxies whose X-Forwarded-For is believed; empty: none. */
  readonly trustProxy: readonly string[]
  /** null: an embedded server under `dataDir`. */
  readonly databaseUrl: string | null
  readonly dataDir: string
  /** null: sandbox mode makes one and keeps it under `dataDir`. */
  readonly masterKey: Buffer | null
  readonly adminPhones: readonly string[]
  /** The second factor of each administrator, base32, by phone; empty: none is asked for. */
  readonly adminTotpSecrets: ReadonlyMap<string, string>
  readonly platformSignup: 'open' | 'admin'
  readonly rateLimits: RateLimitConfig
  /** The only port that shows the metrics, on `host`; null: the service's own shows them, to this machine. */
  readonly metricsPort: number | null
  /** The token that gives access to the metrics; null: there is none. */
  readonly metricsToken: string | null
  /** Requests that one credential may have in flight on a node; 0 is no limit. */
  readonly maxInFlight: number
  /** Streams of live events that may be open at once on a node. */
  readonly streamLimits: { readonly perNetwork: number; readonly perNode: number }
  /** How long requests are still served while the service stops; long enough for busy clients to go elsewhere. */
  readonly drainMs: number
  /** Counts agents that are not deactivated. */
  readonly maxAgentsPerOwner: number
  readonly maxAgentsPerPlatform: number
  readonly redisUrl: string | null
  readonly gateway: GatewayConfig
  readonly otpSender: OtpSenderConfig
  readonly textMessages: TextMessagesConfig
  readonly notifications: NotificationsConfig
  readonly logLevel: LogLevel
  /** null: nothing is traced. */
  readonly tracing: TracingSettings | null
  readonly settlement: 'on' | 'off'
  /** The file of bank holidays; null: the one that is shipped with the service. */
  readonly bankHolidaysFile: string | null
  readonly limitIncreaseCooldownS: number
}

export type GatewayConfig = { readonly kind: 'sandbox' } | CashfreeConfig

const MAX_PORT = 65_535
const MAX_PER_MINUTE = 1_000_000_000
const MAX_WORKERS = 256
const MAX_IN_FLIGHT = 1_000_000
const MAX_STREAMS = 1_000_000
const MAX_DRAIN_MS = 60_000
const MAX_AGENTS = 1_000_000_000
const MAX_COOLDOWN_S = 30 * 86_400
const MASTER_KEY_BYTES = 32
const SANDBOX_ADMIN_PHONE = '9999999999'

const serviceName = matching(/^[a-z][a-z0-9-]{0,31}$/, 'a lower-case name, such as batua')
const perMinute = integer(0, MAX_PER_MINUTE)
const proxies = listOf(isNetwork, 'off, or the addresses of proxies')

/** The configuration in an environment, or one `ConfigError` that lists everything wrong with it. */
export function readConfig(env: Env): Config {
  const reader = readEnv(env)
  const config = configFrom(reader)
  reader.finish(knownNames)
  return config
}

/** The names of all variables: live mode with every real provider asks for each. */
export function knownNames(): ReadonlySet<string> {
  const names = new Set<string>()
  const { need, problem, finish } = readEnv({ MODE: 'live' })
  const ask: EnvReader['need'] = (name, kind, fallback) => {
    names.add(name)
    return need(name, kind, fallback, false)
  }
  configFrom({ need: ask, read: ask, problem, finish })
  return names
}

function configFrom(reader: EnvReader): Config {
  const mode = reader.read('MODE', oneOf(['sandbox', 'live']), 'sandbox')
  const live = mode === 'live'
  const otpSender = readOtpSender(reader, live)
  const addresses = readAddresses(reader, live)
  const adminPhones = readAdminPhones(reader, live)
  return {
    mode,
    serviceName: reader.read('SERVICE_NAME', serviceName, 'batua'),
    ...addresses,
    workers: reader.read('WORKERS', processes(MAX_WORKERS), 1),
    trustProxy: readTrustProxy(reader, live),
    databaseUrl: reader.need('DATABASE_URL', databaseUrl, null, live),
    dataDir: reader.read('DATA_DIR', anyText, './.data'),
    masterKey: reader.need('MASTER_KEY', base64(MASTER_KEY_BYTES), null, live),
    adminPhones,
    adminTotpSecrets: readAdminTotp(reader, adminPhones, live),
    platformSignup: reader.read('PLATFORM_SIGNUP', oneOf(['open', 'admin']), 'open'),
    rateLimits: {
      agentPerMinute: reader.read('RATE_LIMIT_AGENT', perMinute, 100),
      platformPerMinute: reader.read('RATE_LIMIT_PLATFORM', perMinute, 1000),
      unauthenticatedPerMinute: reader.read('RATE_LIMIT_UNAUTHENTICATED', perMinute, 30),
      pagesPerMinute: reader.read('RATE_LIMIT_PAGES', perMinute, 600),
    },
    ...readMetrics(reader, live, addresses.port),
    maxInFlight: reader.read('MAX_IN_FLIGHT', integer(0, MAX_IN_FLIGHT), 16),
    streamLimits: {
      perNetwork: reader.read('MAX_STREAMS_PER_NETWORK', integer(0, MAX_STREAMS), 1_000),
      perNode: reader.read('MAX_STREAMS', integer(0, MAX_STREAMS), 20_000),
    },
    drainMs: reader.read('DRAIN_MS', integer(0, MAX_DRAIN_MS), 500),
    maxAgentsPerOwner: reader.read('MAX_AGENTS_PER_OWNER', integer(1, MAX_AGENTS), 10_000),
    maxAgentsPerPlatform: reader.read('MAX_AGENTS_PER_PLATFORM', integer(1, MAX_AGENTS), 1_000_000),
    redisUrl: reader.read('REDIS_URL', url('redis:', 'rediss:'), null),
    gateway: readGateway(reader, live),
    otpSender,
    textMessages: readTextMessages(reader, otpSender, live),
    notifications: readNotifications(reader, live),
    logLevel: reader.read('LOG_LEVEL', oneOf(LOG_LEVELS), live ? 'info' : 'warn'),
    tracing: readTracing(reader),
    settlement: reader.read('SETTLEMENT', oneOf(['on', 'off']), 'on'),
    bankHolidaysFile: readBankHolidays(reader),
    limitIncreaseCooldownS: reader.read('LIMIT_INCREASE_COOLDOWN', integer(0, MAX_COOLDOWN_S), 86_400),
  }
}

/** Reads the file at once, so that a wrong one is listed with all other problems. */
function readBankHolidays(reader: EnvReader): string | null {
  const file = reader.read<string | null>('BANK_HOLIDAYS', anyText, null)
  const problem = file === null ? null : holidayFileProblem(file)
  if (problem !== null) reader.problem('BANK_HOLIDAYS', problem)
  return file
}

function readAdminPhones(reader: EnvReader, live: boolean): readonly string[] {
  const read = reader.need('ADMIN_PHONES', phones, live ? [] : [SANDBOX_ADMIN_PHONE], live)
  if (live && read.includes(SANDBOX_ADMIN_PHONE))
    reader.problem(
      'ADMIN_PHONES',
      "must not name the sandbox's administrator in live mode; that number is public",
    )
  return read
}

function readAddresses(reader: EnvReader, live: boolean) {
  const host = reader.read('HOST', anyText, '127.0.0.1')
  const port = reader.read('PORT', integer(0, MAX_PORT), 8080)
  const web = live ? publicUrl : url('http:', 'https:')
  const baseUrl = reader.need('BASE_URL', web, null, live) ?? `http://${publicName(host)}:${port}`
  const checkoutUrl = reader.read('CHECKOUT_URL', web, null) ?? `${baseUrl}/checkout`
  return { host, port, baseUrl, checkoutUrl }
}

const METRICS_TOKEN_LENGTH = 32

function readMetrics(reader: EnvReader, live: boolean, servicePort: number) {
  const anyPort: ValueKind<number | null> = integer(1, MAX_PORT)
  const metricsPort = reader.read('METRICS_PORT', anyPort, null)
  if (metricsPort !== null && metricsPort === servicePort) {
    reader.problem('METRICS_PORT', 'must be another port than PORT')
  }
  const length = live ? METRICS_TOKEN_LENGTH : 1
  const token = matching(
    new RegExp(`^(?=.{${length}})[\\w.~+/-]+=*$`),
    `${length} or more letters and digits, as \`openssl rand -hex 32\` makes them`,
  )
  return { metricsPort, metricsToken: reader.read<string | null>('METRICS_TOKEN', token, null) }
}

/** The host under which a process reaches its own server that listens on `host`. */
export function loopback(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function publicName(host: string): string {
  // By this name browsers make passkeys; for an address they make none.
  if (['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** Required in live mode: without it, all callers behind a proxy would have one address. */
function readTrustProxy(reader: EnvReader, live: boolean): readonly string[] {
  const off = {
    expected: proxies.expected,
    parse: (text: string) => (text === 'off' ? [] : proxies.parse(text)),
  }
  return reader.need('TRUST_PROXY', off, [], live)
}

function readGateway(reader: EnvReader, live: boolean): GatewayConfig {
  const kind = reader.read('GATEWAY', oneOf(['sandbox', 'cashfree']), 'sandbox')
  if (kind === 'sandbox' && !live) return { kind }
  if (kind === 'sandbox') reader.problem('GATEWAY', 'must be a real gateway in live mode: cashfree')
  return readCashfree(reader, live)
}
