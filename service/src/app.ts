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

/** Long enough for busy clients to get `Connection: close`. */
const SEND_AWAY_MS = 500
/** The longest time that a receiver of webhooks delays a stop. */
const RECEIVERS_GRACE_MS = 3_000

export interface App {
  listen(): Promise<AddressInfo>
  /** Finishes accepted requests, then closes everything. */
  close(): Promise<void>
}

/** Composes the service, beginning with the ledger, by plain factory calls. */
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

/** Serves the metrics: on a separate port, or on the port of the API. */
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

/** What the domains need besides the core: gateways, and the calendar of bank holidays. */
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

/** The sandbox's simulated gateway and bank; null where they are real. */
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

/** The webhook thread, as a job: a moved clock waits until it has attempted the deliveries that fell due. */
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

/** The balances that the escrow and payouts accounts must have, from the records of their domains. */
const HOLDINGS = { escrow: sumHeld, payouts: sumPayoutsPending }

/** The use case that runs an approved request, by its kind. */
function executorsOf({ agents }: Core): Executors {
  return { payment: executePayment(agents), escrow_hold: executeHold(agents) }
}

/** The checkout page, and in sandbox the simulated payer. */
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

/** The host under which a process reaches its own server that listens on `host`. */
function loopback(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
