import type { AddressInfo } from 'node:net'
import type { Config } from './config/config.ts'
import { type Database, openDatabase } from './db/database.ts'
import { createSandboxBankVerifier } from './gateways/sandbox/bank-verifier.ts'
import { deliverOverHttp } from './gateways/sandbox/deliver.ts'
import { createSandboxGateway } from './gateways/sandbox/payment-gateway.ts'
import { addDocs } from './http/docs.ts'
import { addHealth } from './http/health.ts'
import { forgetIdempotencyKeys } from './http/idempotency-key.ts'
import { connectRedis } from './http/redis.ts'
import { createServer, type Server } from './http/server.ts'
import { createJobs, type Job } from './jobs/jobs.ts'
import type { Clock } from './kernel/clock.ts'
import type { Logger } from './kernel/logger.ts'
import { createMetrics } from './kernel/metrics.ts'
import { openVault } from './kernel/secrets.ts'
import { openLedger } from './ledger/index.ts'
import { addLedgerMetrics } from './ledger-metrics.ts'
import {
  openAgentDirectory,
  openAgentKeyring,
  raiseAgentsToTier1,
  serveAgents,
} from './modules/agents/index.ts'
import { type Rehearse, serveCheckout } from './modules/checkout/index.ts'
import { fundingJobs, gatewaysOf, serveFunding } from './modules/funding/index.ts'
import { openSigningKeys, serveKeys } from './modules/keys/index.ts'
import { serveOwners } from './modules/owners/index.ts'
import { servePayments } from './modules/payments/index.ts'
import { createAuthenticators, servePlatforms } from './modules/platforms/index.ts'
import { openAgentRegister } from './modules/policies/index.ts'
import { serveReceipts } from './modules/receipts/index.ts'
import {
  followSandboxClock,
  playOutcome,
  type SandboxContext,
  sandboxJobs,
  serveSandbox,
} from './modules/sandbox/index.ts'
import { serveTransactions } from './modules/transactions/index.ts'
import { serveWallets } from './modules/wallets/index.ts'

/** A wallet that takes real money must not stand on parts that only play at it: stops before anything is opened. */
export function refuseMissingParts({ mode, gateway }: Config): void {
  if (mode === 'sandbox' && gateway.kind === 'sandbox') return
  throw new Error('GATEWAY: this version has only the sandbox gateway, and live mode must not use it')
}

/** As people read it, on pages and in their payment apps. */
const PRODUCT_NAME = 'Batua'

const API = {
  title: 'Batua',
  version: '1.0.0',
  description:
    'Wallets and payments for software agents in India. Amounts are INR with at most two decimals.',
}

/** Long enough for busy clients to hear that they should go elsewhere. */
const SEND_AWAY_MS = 500

/** What the process hands in: everything that an application cannot make of its configuration alone. */
export interface Surroundings {
  readonly databaseUrl: string
  readonly masterKey: Buffer
  readonly clock: Clock
  readonly logger: Logger
  /** Tests have every answer checked against its schema. */
  readonly verifyResponses?: boolean
}

export interface App {
  listen(): Promise<AddressInfo>
  /** Finishes what was accepted, then lets go of everything. */
  close(): Promise<void>
}

/** Puts the service together, from the book outwards: plain factory calls. */
export async function createApp(config: Config, surroundings: Surroundings): Promise<App> {
  const core = await openCore(config, surroundings)
  const server = await openServer(config, surroundings, core)
  const address = { port: config.port }
  const ownUrl = () => `http://${loopback(config.host)}:${address.port}`
  const sandbox = { ...core, ...openGateway(config, core, ownUrl), jobs: () => jobs }
  const jobs = createJobs({
    ...core,
    jobs: [...fundingJobs(sandbox.funding), ...serviceJobs(core.database), ...sandboxJobs(sandbox)],
  })
  serveModules(config, server, core)
  serveMoneyIn(config, server, sandbox)
  addHealth(server, { isReady: core.database.ready, metrics: core.metrics })
  addDocs(server, { ...API, serverUrl: config.baseUrl })

  return {
    async listen() {
      const bound = await server.listen(config)
      address.port = bound.port
      jobs.start()
      return bound
    },
    async close() {
      await server.close({ sendAwayMs: SEND_AWAY_MS })
      await jobs.stop()
      await core.ledger.close()
      core.redis?.disconnect()
      await core.database.close()
    },
  }
}

/** What every module works with. */
async function openCore(config: Config, { databaseUrl, masterKey, clock, logger }: Surroundings) {
  const metrics = createMetrics()
  const database = openDatabase(databaseUrl, { onError: err => logger.warn({ err }, 'a connection broke') })
  if (config.mode === 'sandbox') await followSandboxClock(database, clock)
  const vault = openVault(masterKey)
  return {
    clock,
    logger,
    metrics,
    database,
    vault,
    ledger: openLedger({ database, clock, vault, ...addLedgerMetrics(metrics, logger) }),
    signingKeys: await openSigningKeys({ database, clock, vault }),
    findAgent: openAgentDirectory(database),
    agents: openAgentRegister(),
    authenticators: createAuthenticators(database),
    keyring: openAgentKeyring(database),
    serviceName: config.serviceName,
    redis: config.redisUrl === null ? null : connectRedis(config.redisUrl, logger),
  }
}

type Core = Awaited<ReturnType<typeof openCore>>

function openServer(config: Config, { verifyResponses = false }: Surroundings, core: Core): Promise<Server> {
  return createServer({
    ...core,
    rateLimits: config.rateLimits,
    trustProxy: config.trustProxy,
    secure: config.baseUrl.startsWith('https:'),
    verifyResponses,
  })
}

/** The gateway that money comes in by. The sandbox's own sends its notices to this very process. */
function openGateway(config: Config, core: Core, ownUrl: () => string) {
  const { database, clock, vault, logger } = core
  const gateway = createSandboxGateway({
    database,
    clock,
    webhookSecrets: [vault.blindIndex('webhooks', 'sandbox gateway').toString('base64')],
    deliver: deliverOverHttp(ownUrl, logger),
    merchantName: PRODUCT_NAME,
  })
  const funding = { ...core, gateways: gatewaysOf(gateway), checkoutUrl: config.checkoutUrl }
  return { gateway, funding }
}

function serveModules(config: Config, { serve }: Server, core: Core): void {
  servePlatforms(serve, { ...core, signupOpen: config.platformSignup === 'open', mode: config.mode })
  serveOwners(serve, { ...core, bankVerifier: createSandboxBankVerifier(), raiseAgentsToTier1 })
  serveAgents(serve, core)
  serveWallets(serve, core)
  servePayments(serve, core)
  serveTransactions(serve, core)
  serveReceipts(serve, core)
  serveKeys(serve, core)
}

function serveMoneyIn({ mode }: Config, { serve, pages }: Server, context: SandboxContext): void {
  const { funding } = context
  const rehearse: Rehearse = (session, outcome, method) => playOutcome(context, session, outcome, method)
  serveFunding(serve, funding)
  pages(scope =>
    serveCheckout(scope, {
      funding,
      serviceName: PRODUCT_NAME,
      rehearse: mode === 'sandbox' ? rehearse : null,
    }),
  )
  if (mode === 'sandbox') serveSandbox(serve, context)
}

const IDEMPOTENCY_KEYS_AT_ONCE = 1_000

function serviceJobs(database: Database): Job[] {
  return [
    {
      name: 'idempotency keys',
      everyMs: 60_000,
      run: now => forgetIdempotencyKeys(database, now, IDEMPOTENCY_KEYS_AT_ONCE),
    },
  ]
}

/** Where a process reaches a server of its own that listens on `host`. */
function loopback(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
