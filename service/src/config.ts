import type { RateLimitConfig } from './http/rate-limit.ts'
import { type Env, type EnvReader, readEnv } from './env-reader.ts'
import { LOG_LEVELS, type LogLevel } from './kernel/logger.ts'

export type Mode = 'sandbox' | 'live'

/** What the operator chose; every value is checked and complete. */
export interface Config {
  readonly mode: Mode
  /** Issuer of certificates and name in the key document. */
  readonly serviceName: string
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
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
  readonly platformSignup: 'open' | 'admin'
  readonly rateLimits: RateLimitConfig
  readonly redisUrl: string | null
  readonly gateway: GatewayConfig
  readonly otpSender: OtpSenderConfig
  readonly logLevel: LogLevel
  readonly settlement: 'on' | 'off'
  readonly limitIncreaseCooldownS: number
}

export type GatewayConfig = { readonly kind: 'sandbox' } | CashfreeConfig

export interface CashfreeConfig {
  readonly kind: 'cashfree'
  readonly environment: 'sandbox' | 'production'
  readonly clientId: string
  readonly clientSecret: string
  readonly payoutClientId: string
  readonly payoutClientSecret: string
}

export type OtpSenderConfig =
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'http'; readonly url: string; readonly token: string }

const MAX_PORT = 65_535
const MAX_PER_MINUTE = 1_000_000_000
const MAX_COOLDOWN_S = 30 * 86_400
const MASTER_KEY_BYTES = 32
const SANDBOX_ADMIN_PHONE = '9999999999'

/** The configuration in an environment, or one `ConfigError` that lists everything wrong with it. */
export function readConfig(env: Env): Config {
  const reader = readEnv(env)
  const mode = reader.choice('MODE', ['sandbox', 'live'], 'sandbox')
  const live = mode === 'live'
  const config: Config = {
    mode,
    serviceName: reader.matching('SERVICE_NAME', /^[a-z][a-z0-9-]{0,31}$/, 'a lower-case name such as batua', 'batua'),
    ...readAddresses(reader, live),
    databaseUrl: reader.url('DATABASE_URL', ['postgres:', 'postgresql:'], live),
    dataDir: reader.text('DATA_DIR') ?? './.data',
    masterKey: reader.base64('MASTER_KEY', MASTER_KEY_BYTES, live),
    adminPhones: readAdminPhones(reader, live),
    platformSignup: reader.choice('PLATFORM_SIGNUP', ['open', 'admin'], 'open'),
    rateLimits: {
      agentPerMinute: reader.integer('RATE_LIMIT_AGENT', 0, MAX_PER_MINUTE, 100),
      platformPerMinute: reader.integer('RATE_LIMIT_PLATFORM', 0, MAX_PER_MINUTE, 1000),
      unauthenticatedPerMinute: reader.integer('RATE_LIMIT_UNAUTHENTICATED', 0, MAX_PER_MINUTE, 30),
    },
    redisUrl: reader.url('REDIS_URL', ['redis:', 'rediss:'], false),
    gateway: readGateway(reader, live),
    otpSender: readOtpSender(reader, live),
    logLevel: reader.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    settlement: reader.choice('SETTLEMENT', ['on', 'off'], 'on'),
    limitIncreaseCooldownS: reader.integer('LIMIT_INCREASE_COOLDOWN', 0, MAX_COOLDOWN_S, 86_400),
  }
  reader.finish()
  return config
}

function readAddresses(reader: EnvReader, live: boolean) {
  const host = reader.text('HOST') ?? '127.0.0.1'
  const port = reader.integer('PORT', 0, MAX_PORT, 8080)
  const local = `http://${publicName(host)}:${port}`
  const baseUrl = reader.url('BASE_URL', live ? ['https:'] : ['http:', 'https:'], live) ?? local
  const checkoutUrl = reader.url('CHECKOUT_URL', live ? ['https:'] : ['http:', 'https:'], false)
  return {
    host,
    port,
    baseUrl,
    checkoutUrl: checkoutUrl ?? `${baseUrl}/checkout`,
    trustProxy: reader.addresses('TRUST_PROXY'),
  }
}

function publicName(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function readAdminPhones(reader: EnvReader, live: boolean): readonly string[] {
  const phones = reader.list('ADMIN_PHONES', /^[6-9]\d{9}$/, 'mobile numbers of 10 digits, separated by commas', live)
  return phones.length === 0 && !live ? [SANDBOX_ADMIN_PHONE] : phones
}

function readGateway(reader: EnvReader, live: boolean): GatewayConfig {
  const kind = reader.choice('GATEWAY', ['sandbox', 'cashfree'], 'sandbox')
  if (kind === 'sandbox' && !live) return { kind }
  if (kind === 'sandbox') reader.problem('GATEWAY', 'live mode needs a real gateway: cashfree')
  const environment = live ? (['production'] as const) : (['sandbox', 'production'] as const)
  return {
    kind: 'cashfree',
    environment: reader.requiredChoice('CASHFREE_ENV', environment),
    clientId: reader.required('CASHFREE_CLIENT_ID'),
    clientSecret: reader.required('CASHFREE_CLIENT_SECRET'),
    payoutClientId: reader.required('CASHFREE_PAYOUT_CLIENT_ID'),
    payoutClientSecret: reader.required('CASHFREE_PAYOUT_CLIENT_SECRET'),
  }
}

function readOtpSender(reader: EnvReader, live: boolean): OtpSenderConfig {
  const kind = reader.choice('OTP_SENDER', ['sandbox', 'http'], 'sandbox')
  if (kind === 'sandbox' && !live) return { kind }
  if (kind === 'sandbox') reader.problem('OTP_SENDER', 'live mode needs a real sender: http')
  return {
    kind: 'http',
    url: reader.url('OTP_HTTP_URL', ['https:'], true) ?? '',
    token: reader.required('OTP_HTTP_TOKEN'),
  }
}
