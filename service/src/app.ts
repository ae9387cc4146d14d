import type { AddressInfo } from 'node:net'
import { Redis } from 'ioredis'
import type { Config } from './config.ts'
import { openDatabase } from './db/database.ts'
import { createSandboxBankVerifier } from './gateways/sandbox/bank-verifier.ts'
import { deliverOverHttp } from './gateways/sandbox/deliver.ts'
import { createSandboxGateway } from './gateways/sandbox/payment-gateway.ts'
import { addDocs } from './http/docs.ts'
import { addHealth } from './http/health.ts'
import { createServer } from './http/server.ts'
import { createJobs } from './jobs/jobs.ts'
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
import { serveCheckout } from './modules/checkout/index.ts'
import { fundingJobs, gatewaysOf, serveFunding } from './modules/funding/index.ts'
import { openSigningKeys, serveKeys } from './modules/keys/index.ts'
import { serveOwners } from './modules/owners/index.ts'
import { servePayments } from './modules/payments/index.ts'
import { createAuthenticators, servePlatforms } from './modules/platforms/index.ts'
import { openAgentRegister } from './modules/policies/index.ts'
import { serveReceipts } from './modules/receipts/index.ts'
import { followSandboxClock, playOutcome, sandboxJobs, serveSandbox } from './modules/sandbox/index.ts'
import { serveTransactions } from './modules/transactions/index.ts'
import { serveWallets } from './modules/wallets/index.ts'

const NO_REAL_GATEWAY =
  'GATEWAY=cashfree: this version has no adapter for it yet, so it cannot run with real money. Nothing was started'

/** As people read it, on pages and in their payment apps. */
const PRODUCT_NAME = 'Batua'

const API = {
  title: 'Batua',
  version: '1.0.0',
  description:
    'Wallets and payments for software agents in India. Amounts are INR with at most two decimals.',
}

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

/** Puts the service together: plain factory calls, from the book outwards. */
export async function createApp(config: Config, surroundings: Surroundings): Promise<App> {
  const { clock, logger, databaseUrl } = surroundings
  const sandbox = config.mode === 'sandbox'
  if (config.gateway.kind !== 'sandbox') throw new Error(NO_REAL_GATEWAY)
  const metrics = createMetrics()
  const database = openDatabase(databaseUrl, { onError: err => logger.warn({ err }, 'a connection broke') })
  if (sandbox) await followSandboxClock(database, clock)

  const vault = openVault(surroundings.masterKey)
  const ledger = openLedger({ database, clock, vault, ...addLedgerMetrics(metrics, logger) })
  const signingKeys = await openSigningKeys({ database, clock, vault })
  const findAgent = openAgentDirectory(database)
  const agents = openAgentRegister()
  const authenticators = createAuthenticators(database)

  const redis = config.redisUrl === null ? null : new Redis(config.redisUrl)
  const server = await createServer({
    clock,
    logger,
    metrics,
    database,
    authenticators,
    rateLimits: config.rateLimits,
    redis,
    trustProxy: config.trustProxy,
    secure: config.baseUrl.startsWith('https:'),
    verifyResponses: surroundings.verifyResponses ?? false,
  })
  const { serve } = server
  const shared = {
    database,
    clock,
    vault,
    ledger,
    logger,
    findAgent,
    agents,
    serviceName: config.serviceName,
  }

  let port = config.port
  const gateway = createSandboxGateway({
    database,
    clock,
    webhookSecrets: [vault.blindIndex('webhooks', 'sandbox gateway').toString('base64')],
    deliver: deliverOverHttp(() => `http://${loopback(config.host)}:${port}`, logger),
    merchantName: PRODUCT_NAME,
  })
  const funding = { ...shared, gateways: gatewaysOf(gateway), checkoutUrl: config.checkoutUrl }
  const play = { ...shared, funding, gateway, jobs: () => jobs }
  const jobs = createJobs({
    clock,
    logger,
    jobs: [...fundingJobs(funding), ...(sandbox ? sandboxJobs(play) : [])],
  })

  servePlatforms(serve, { ...shared, signupOpen: config.platformSignup === 'open', mode: config.mode })
  serveOwners(serve, { ...shared, bankVerifier: createSandboxBankVerifier(), raiseAgentsToTier1 })
  serveAgents(serve, shared)
  serveWallets(serve, shared)
  serveFunding(serve, funding)
  servePayments(serve, { ...shared, authenticators, keyring: openAgentKeyring(database) })
  serveTransactions(serve, shared)
  serveReceipts(serve, { ...shared, signingKeys })
  serveKeys(serve, { ...shared, signingKeys })
  server.pages(scope =>
    serveCheckout(scope, {
      funding,
      serviceName: PRODUCT_NAME,
      rehearse: sandbox ? (session, outcome, method) => playOutcome(play, session, outcome, method) : null,
    }),
  )
  if (sandbox) serveSandbox(serve, play)
  addHealth(server, { isReady: database.ready, metrics })
  addDocs(server, { ...API, serverUrl: config.baseUrl })

  return {
    async listen() {
      const address = await server.listen(config)
      port = address.port
      jobs.start()
      return address
    },
    async close() {
      await server.close()
      await jobs.stop()
      await ledger.close()
      redis?.disconnect()
      await database.close()
    },
  }
}

/** Where a process reaches a server of its own that listens on `host`. */
function loopback(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
