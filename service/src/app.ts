import type { AddressInfo } from 'node:net'
import { INTRODUCTION } from '@batua/contract'
import { CHECKED_TABLES } from './checked-tables.ts'
import { completeRows } from './complete-rows.ts'
import type { Config } from './config/config.ts'
import { type Core, type CoreOptions, openCore } from './core.ts'
import type { Database } from './db/database.ts'
import { adminJobs, serveAdmin } from './domains/admin/index.ts'
import { addAuditMetrics, auditJobs, serveAudit } from './domains/audit/index.ts'
import {
  fundingJobs,
  fundingWebhooks,
  gatewaysOf,
  gatewayWebhookJobs,
  payoutJobs,
  payoutWebhooks,
  type Simulate,
  serveCheckout,
  serveFunding,
  serveGatewayWebhooks,
  servePayouts,
  serveSettlement,
  settlementJobs,
  sumPayoutsPending,
} from './domains/banking/index.ts'
import {
  addIntegrityMetrics,
  addReconciliationMetrics,
  integrityJobs,
  readReconciliation,
  reconciliationJobs,
  serveReconciliation,
} from './domains/checks/index.ts'
import {
  completeAgents,
  findAlteredAgents,
  organizationJobs,
  ownerJobs,
  policyJobs,
  quarantineAgent,
  raiseAgentsToTier1,
  renewalJobs,
  requireAgentAccess,
  serveAgents,
  serveIdentity,
  serveOrganizations,
  serveOwners,
  servePlatforms,
  servePolicySettings,
  serveSessions,
  sessionJobs,
} from './domains/parties/index.ts'
import { servePayPerCall } from './domains/pay-per-call/index.ts'
import {
  approvalJobs,
  countPendingApprovals,
  createReceiptTokens,
  type Executors,
  escrowJobs,
  executeHold,
  executePayment,
  serveAllocations,
  serveApprovals,
  serveEscrow,
  servePayments,
  serveReceipts,
  serveTransactions,
  serveWallets,
  sumHeld,
} from './domains/payments/index.ts'
import { countOpenAlerts, riskJobs, serveRisk } from './domains/risk/index.ts'
import {
  type SandboxContext,
  type SandboxMode,
  sandboxJobs,
  serveSandbox,
  serveSimulation,
  simulateOutcome,
  simulationJobs,
} from './domains/sandbox/index.ts'
import { serveKeys } from './domains/signing/index.ts'
import {
  addWebhookMetrics,
  countFailedDeliveries,
  serveWebhooks,
  wakeEndpoint,
  webhookJobs,
} from './domains/webhooks/index.ts'
import { addDocs } from './http/docs.ts'
import { addHealth } from './http/health.ts'
import { forgetIdempotencyKeys } from './http/idempotency-key.ts'
import { addMetrics, openMetricsListener } from './http/metrics.ts'
import { createServer, type Server } from './http/server.ts'
import { openHolidays } from './kernel/holiday-file.ts'
import { countMoneyElsewhere } from './money-elsewhere.ts'
import { type ExternalServices, openGateways, PRODUCT_NAME } from './open-gateways.ts'
import { createJobs, type Job } from './operations/jobs.ts'
import { openWebhookThread, type WebhookThread } from './webhook-thread/thread.ts'

const API = { title: 'Batua', version: '1.0.0', description: INTRODUCTION }

/** Long enough for busy clients to hear that they should go elsewhere. */
const SEND_AWAY_MS = 500
/** No receiver of webhooks holds up a stop for longer. */
const RECEIVERS_GRACE_MS = 3_000

export interface App {
  listen(): Promise<AddressInfo>
  /** Finishes what was accepted, then lets go of everything. */
  close(): Promise<void>
}

/** Puts the service together, from the book outwards: plain factory calls. */
export async function createApp(config: Config, coreOptions: CoreOptions): Promise<App> {
  const core = await openCore(config, coreOptions)
  await completeRows(core)
  await completeAgents(core)
  const server = await openServer(config, coreOptions, core)
  const address = { port: config.port }
  const outside = openGateways(config, core, () => `http://${loopback(config.host)}:${address.port}`)
  const parts = await openParts(config, core, outside)
  const thread = openWebhookThread({ ...core, ...config, ...coreOptions })
  const mode = { ...core, jobs: () => jobs }
  const simulation = rehearsalOf(parts, outside, mode)
  const jobs = createJobs({
    ...core,
    jobs: [...jobsOf(parts), ...playedJobs(config, mode, simulation, thread)],
  })
  const stopping = new AbortController()
  serveModules(config, server, { ...parts, stopping: stopping.signal })
  servePages(server, parts.funding, outside, simulation)
  if (config.mode === 'sandbox') serveSandbox(server.serve, mode)
  addAuditMetrics(core.metrics, core)
  addIntegrityMetrics(core.metrics, core)
  addReconciliationMetrics(core.metrics, core)
  addWebhookMetrics(core.metrics, core)
  addHealth(server, { isReady: core.database.ready })
  const metrics = await openMetrics(config, server, core)
  addDocs(server, { ...API, serverUrl: config.baseUrl })

  return {
    async listen() {
      await metrics.listen()
      const bound = await server.listen(config)
      address.port = bound.port
      jobs.start()
      thread.start()
      return bound
    },
    async close() {
      const timer = setTimeout(() => stopping.abort(), RECEIVERS_GRACE_MS)
      await server.close({ sendAwayMs: SEND_AWAY_MS })
      await metrics.close()
      clearTimeout(timer)
      await Promise.all([jobs.stop(), thread.stop()])
      await core.otpDispatcher.drained()
      await core.ledger.close()
      core.redis?.disconnect()
      await core.database.close()
    },
  }
}

function openServer(config: Config, { verifyResponses = false }: CoreOptions, core: Core): Promise<Server> {
  return createServer({
    ...core,
    rateLimits: config.rateLimits,
    maxInFlight: config.maxInFlight,
    trustProxy: config.trustProxy,
    baseUrl: config.baseUrl,
    verifyResponses,
  })
}

interface MetricsDoor {
  listen(): Promise<void>
  close(): Promise<void>
}

/** Where the metrics are read: on a port of their own, or else beside the API. */
async function openMetrics(
  { host, metricsPort: port, metricsToken: token, rateLimits }: Config,
  server: Server,
  core: Core,
): Promise<MetricsDoor> {
  if (port === null) {
    addMetrics(server, { metrics: core.metrics, token })
    return { async listen() {}, async close() {} }
  }
  const listener = await openMetricsListener({ ...core, token, pagesPerMinute: rateLimits.pagesPerMinute })
  return {
    async listen() {
      await listener.listen({ host, port })
    },
    close: listener.close,
  }
}

/** What the modules work with beyond the core: the world of banks, and the days on which it works. */
async function openParts(config: Config, core: Core, outside: ExternalServices) {
  const holidays = await openHolidays(config.bankHolidaysFile, core.logger)
  const funding = { ...core, gateways: gatewaysOf(outside.payments), checkoutUrl: config.checkoutUrl }
  const owners = { ...core, bankVerifier: outside.verifier, raiseAgentsToTier1 }
  const payouts = { ...core, payoutProvider: outside.payouts, holidays }
  const settlement = { ...payouts, settlement: config.settlement }
  const reconciliation = { ...core, gateways: funding.gateways, payoutProvider: outside.payouts }
  return { ...core, funding, owners, payouts, settlement, reconciliation }
}

type Parts = Awaited<ReturnType<typeof openParts>>

/** A gateway and a bank that do what they are told; null where they are real. */
function rehearsalOf(parts: Parts, { sandbox }: ExternalServices, mode: SandboxMode): SandboxContext | null {
  return sandbox && { ...mode, funding: parts.funding, gateway: sandbox.payments, payouts: sandbox.payouts }
}

function playedJobs(
  { mode }: Config,
  sandbox: SandboxMode,
  simulation: SandboxContext | null,
  thread: WebhookThread,
): Job[] {
  const jobs = mode === 'sandbox' ? [...sandboxJobs(sandbox), deliveriesJob(thread)] : []
  return simulation === null ? jobs : [...jobs, ...simulationJobs(simulation)]
}

/** Webhooks are delivered by a thread of its own; this lets a moved clock wait until it has tried what fell due. */
function deliveriesJob(thread: WebhookThread): Job {
  return {
    name: 'webhook deliveries',
    everyMs: 60_000,
    async run() {
      await thread.runDue()
      return 0
    },
  }
}

function jobsOf(parts: Parts): Job[] {
  return [
    ...fundingJobs(parts.funding),
    ...payoutJobs(parts.payouts),
    ...settlementJobs(parts.settlement),
    ...ownerJobs(parts.owners),
    ...parts.textMessages.jobs(),
    ...gatewayWebhookJobs(parts),
    ...reconciliationJobs(parts.reconciliation),
    ...escrowJobs(parts),
    ...approvalJobs(parts),
    ...renewalJobs(parts),
    ...policyJobs(parts),
    ...organizationJobs(parts),
    ...sessionJobs(parts),
    ...adminJobs(parts),
    ...integrityJobs({ ...parts, holdings: HOLDINGS, findAlteredAgents, tables: CHECKED_TABLES }),
    ...auditJobs(parts),
    ...riskJobs(parts),
    ...webhookJobs(parts),
    ...serviceJobs(parts.database),
  ]
}

function serveModules(
  config: Config,
  { serve }: Server,
  parts: Parts & { readonly stopping: AbortSignal },
): void {
  const { mode } = config
  const signupOpen = config.platformSignup === 'open'
  servePlatforms(serve, { ...parts, signupOpen, mode, countMoneyElsewhere, resumeWebhooks: wakeEndpoint })
  serveWebhooks(serve, { ...parts, mode })
  serveOwners(serve, parts.owners)
  serveAgents(serve, { ...parts, mode })
  servePolicySettings(serve, { ...parts, mode })
  serveWallets(serve, parts)
  serveFunding(serve, parts.funding)
  servePayouts(serve, { ...parts.payouts, agents: parts.agents })
  serveSettlement(serve, parts.settlement)
  servePayments(serve, { ...parts, receiptToken: createReceiptTokens(parts) })
  serveEscrow(serve, parts)
  serveOrganizations(serve, parts)
  serveAllocations(serve, parts)
  serveApprovals(serve, { ...parts, executors: executorsOf(parts) })
  serveTransactions(serve, parts)
  servePayPerCall(serve, parts)
  serveReceipts(serve, parts)
  serveIdentity(serve, parts)
  serveAudit(serve, { ...parts, requireAgentAccess })
  serveSessions(serve, { ...parts, secure: config.baseUrl.startsWith('https:') })
  serveRisk(serve, { ...parts, quarantine: quarantineAgent })
  serveAdmin(serve, {
    ...parts,
    countPendingApprovals,
    countOpenAlerts,
    countFailedDeliveries,
    readReconciliation,
  })
  serveReconciliation(serve, parts.reconciliation)
  serveKeys(serve, parts)
  serveGatewayWebhooks(serve, {
    ...parts,
    handlers: [...fundingWebhooks(parts.funding), ...payoutWebhooks(parts.payouts)],
  })
}

/** What the escrow and payouts accounts of the book have to hold, as the modules know it. */
const HOLDINGS = { escrow: sumHeld, payouts: sumPayoutsPending }

/** Who does what an owner approves, by its kind. */
function executorsOf({ agents }: Core): Executors {
  return { payment: executePayment(agents), escrow_hold: executeHold(agents) }
}

/** The page that money comes in by, and the human who can be played on it. */
function servePages(
  { serve, pages }: Server,
  funding: Parts['funding'],
  { checkoutScript: script }: ExternalServices,
  simulation: SandboxContext | null,
): void {
  const simulate: Simulate | null =
    simulation && ((session, outcome, method) => simulateOutcome(simulation, session, outcome, method))
  pages(scope => serveCheckout(scope, { funding, serviceName: PRODUCT_NAME, simulate, script }))
  if (simulation !== null) serveSimulation(serve, simulation)
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
