import type { AddressInfo } from 'node:net'
import type { Config } from './config/config.ts'
import { type Core, openCore, type Surroundings } from './core.ts'
import { type Database } from './db/database.ts'
import { createSandboxBankVerifier } from './gateways/sandbox/bank-verifier.ts'
import { deliverOverHttp } from './gateways/sandbox/deliver.ts'
import { createSandboxGateway } from './gateways/sandbox/payment-gateway.ts'
import { addDocs } from './http/docs.ts'
import { addHealth } from './http/health.ts'
import { forgetIdempotencyKeys } from './http/idempotency-key.ts'
import { createServer, type Server } from './http/server.ts'
import { createJobs, type Job } from './jobs/jobs.ts'
import { adminJobs, serveAdmin } from './modules/admin/index.ts'
import { quarantineAgent, raiseAgentsToTier1, serveAgents } from './modules/agents/index.ts'
import {
  approvalJobs,
  countPendingApprovals,
  type Executors,
  serveApprovals,
} from './modules/approvals/index.ts'
import { type Rehearse, serveCheckout } from './modules/checkout/index.ts'
import { fundingJobs, gatewaysOf, serveFunding } from './modules/funding/index.ts'
import { serveKeys } from './modules/keys/index.ts'
import { serveOwners } from './modules/owners/index.ts'
import { executePayment, servePayments } from './modules/payments/index.ts'
import { servePlatforms } from './modules/platforms/index.ts'
import { policyJobs, servePolicySettings } from './modules/policy-settings/index.ts'
import { serveReceipts } from './modules/receipts/index.ts'
import { countOpenAlerts, riskJobs, serveRisk } from './modules/risk/index.ts'
import { playOutcome, type SandboxContext, sandboxJobs, serveSandbox } from './modules/sandbox/index.ts'
import { serveSessions, sessionJobs } from './modules/sessions/index.ts'
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
    jobs: [
      ...fundingJobs(sandbox.funding),
      ...approvalJobs(core),
      ...policyJobs(core.database),
      ...sessionJobs(core),
      ...adminJobs(core),
      ...riskJobs(core),
      ...serviceJobs(core.database),
      ...sandboxJobs(sandbox),
    ],
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
      await core.outbox.settled()
      await core.ledger.close()
      core.redis?.disconnect()
      await core.database.close()
    },
  }
}

function openServer(config: Config, { verifyResponses = false }: Surroundings, core: Core): Promise<Server> {
  return createServer({
    ...core,
    rateLimits: config.rateLimits,
    trustProxy: config.trustProxy,
    baseUrl: config.baseUrl,
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
  servePolicySettings(serve, core)
  serveWallets(serve, core)
  servePayments(serve, core)
  serveApprovals(serve, { ...core, executors: executorsOf(core) })
  serveTransactions(serve, core)
  serveReceipts(serve, core)
  serveSessions(serve, { ...core, secure: config.baseUrl.startsWith('https:') })
  serveRisk(serve, { ...core, quarantine: quarantineAgent })
  serveAdmin(serve, { ...core, countPendingApprovals, countOpenAlerts })
  serveKeys(serve, core)
}

/** Who does what an owner approves, by its kind. */
function executorsOf({ agents }: Core): Executors {
  return { payment: executePayment(agents) }
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
