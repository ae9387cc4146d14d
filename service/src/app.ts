import type { AddressInfo } from 'node:net'
import { INTRODUCTION } from '@batua/contract'
import { type Config, loopback } from './config/config.ts'
import { type Core, type CoreOptions, openCore } from './core.ts'
import { adminJobs, serveAdmin } from './domains/admin/index.ts'
import { appJobs, type PageRequested, requestPageCommand, serveConnectedApps } from './domains/apps/index.ts'
import { addAuditMetrics, auditJobs, openCoveringCheckpoint, serveAudit } from './domains/audit/index.ts'
import {
  countMoneyElsewhere,
  fundingJobs,
  fundingWebhooks,
  gatewaysOf,
  payoutAttempts,
  payoutWebhooks,
  type Simulate,
  serveCheckout,
  serveFunding,
  serveGatewayWebhooks,
  servePayouts,
  serveSettlement,
  settlementJobs,
  webhookCleanup,
} from './domains/banking/index.ts'
import {
  addLedgerCheckMetrics,
  addReconciliationMetrics,
  CHECKED_TABLES,
  completeRows,
  HOLDINGS,
  ledgerCheckJobs,
  readReconciliation,
  reconciliationJobs,
  serveReconciliation,
} from './domains/checks/index.ts'
import { openNotifications } from './domains/notifications/index.ts'
import {
  accountChanges,
  bankVerifications,
  budgetChanges,
  certificateRenewals,
  completeAgents,
  findAlteredAgents,
  passkeyJobs,
  policyJobs,
  quarantineAgent,
  raiseAgentsToTier1,
  requireAccess,
  selectLiveSessions,
  selectSecretHashes,
  serveAgents,
  serveIdentity,
  serveOrganizations,
  serveOwners,
  servePasskeys,
  servePlatforms,
  servePolicySettings,
  serveSessions,
  sessionJobs,
} from './domains/parties/index.ts'
import {
  listingChecks,
  openPayDocuments,
  railOf,
  serveDiscovery,
  servePayPerCall,
} from './domains/pay-per-call/index.ts'
import {
  countPendingApprovals,
  createReceiptTokens,
  executorsOf,
  paymentJobs,
  serveAllocations,
  serveAllowances,
  serveApprovals,
  serveAuthorizations,
  serveEscrow,
  servePageData,
  servePayments,
  serveReceipts,
  serveStatements,
  serveTransactions,
  serveWallets,
} from './domains/payments/index.ts'
import { requestLogJobs, serveRequestLog } from './domains/requests/index.ts'
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
  openLiveUpdates,
  serveLiveUpdates,
  serveWebhooks,
  wakeEndpoint,
  webhookJobs,
} from './domains/webhooks/index.ts'
import { addConsole } from './http/console.ts'
import { addDocs } from './http/docs/docs.ts'
import { addHealth } from './http/health.ts'
import { idempotencyKeyCleanup } from './http/idempotency/idempotency-key.ts'
import { addMcp } from './http/mcp.ts'
import { serveMetrics } from './http/metrics.ts'
import { createServer, type Server } from './http/server.ts'
import { openHolidays } from './kernel/holiday-file.ts'
import type { Metrics } from './kernel/metrics.ts'
import { addQueueMetric } from './ledger/index.ts'
import { type ExternalServices, openGateways, PRODUCT_NAME } from './open-gateways.ts'
import { createJobs, type Job } from './operations/jobs.ts'
import { deliveriesJob, openWebhookThread, type WebhookThread } from './webhook-thread.ts'

const API = { title: 'Batua', version: '1.0.0', description: INTRODUCTION }

/** The longest time that a receiver of webhooks delays a stop. */
const RECEIVERS_GRACE_MS = 3_000

export interface App {
  /** Those of this process. */
  readonly metrics: Metrics
  listen(): Promise<AddressInfo>
  /** Takes over what may change while the service runs. */
  reload(next: Pick<Config, 'rateLimits' | 'logLevel'>): void
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
  const contexts = await openContexts(config, core, outside)
  const thread = openWebhookThread({ ...core, ...config, ...coreOptions, tracingSettings: config.tracing })
  const mode = { ...core, jobs: () => jobs }
  const simulation = simulationOf(contexts, outside, mode)
  const jobs = createJobs({
    ...core,
    jobs: [...jobsOf(contexts), ...simulatedJobs(config, mode, simulation, thread)],
  })
  const stopping = new AbortController()
  const sessions = { selectLiveSessions, selectSecretHashes }
  const liveUpdates = openLiveUpdates({ ...core, ...sessions, limits: config.streamLimits })
  serveLiveUpdates(server.serve, liveUpdates)
  const apps = serveConnectedApps(server, { ...core, ...config, serviceName: PRODUCT_NAME })
  serveDomains(config, server, { ...contexts, stopping: stopping.signal })
  servePages(server, contexts.funding, outside, simulation)
  if (config.mode === 'sandbox') serveSandbox(server.serve, mode)
  addQueueMetric(core.metrics, core.ledger)
  addAuditMetrics(core.metrics, core)
  addLedgerCheckMetrics(core.metrics, core)
  addReconciliationMetrics(core.metrics, core)
  addWebhookMetrics(core.metrics, core)
  addHealth(server, { isReady: core.database.ready })
  const metrics = await serveMetrics(server, { ...core, ...config, metrics: core.shownMetrics })
  addDocs(server, { ...API, serverUrl: config.baseUrl })
  addConsole(server, { mode: config.mode, clock: core.clock })
  const requestPage = (asked: PageRequested) => core.ledger.submit(requestPageCommand(asked))
  const mcp = addMcp(server, { ...core, requestPage, mode: config.mode, version: API.version })

  return {
    metrics: core.metrics,
    async listen() {
      await metrics.listen()
      const bound = await server.listen(config)
      address.port = bound.port
      jobs.start()
      thread.start()
      return bound
    },
    reload({ rateLimits, logLevel }) {
      Object.assign(config.rateLimits, rateLimits)
      core.logger.level = logLevel
      thread.setLogLevel(logLevel)
    },
    async close() {
      const timer = setTimeout(() => stopping.abort(), RECEIVERS_GRACE_MS)
      liveUpdates.close()
      await server.close({ sendAwayMs: config.drainMs })
      await Promise.all([mcp.close(), apps.close(), metrics.close()])
      clearTimeout(timer)
      await Promise.all([jobs.stop(), thread.stop()])
      await Promise.all([contexts.notifications.close(), contexts.documents.close()])
      await Promise.all([core.requestLog.flush(), core.toolCalls.flush()])
      await core.otpDispatcher.drained()
      await core.ledger.close()
      core.redis?.disconnect()
      await core.database.close()
      await core.tracing?.close()
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
    onFinished: core.requestLog.record,
  })
}

/** What the domains need besides the core: gateways, and the calendar of bank holidays. */
async function openContexts(config: Config, core: Core, outside: ExternalServices) {
  const holidays = await openHolidays(config.bankHolidaysFile, core.logger)
  const funding = { ...core, gateways: gatewaysOf(outside.payments), checkoutUrl: config.checkoutUrl }
  const owners = { ...core, bankVerifier: outside.verifier, raiseAgentsToTier1 }
  const payouts = { ...core, payoutProvider: outside.payouts, holidays }
  const settlement = { ...payouts, settlement: config.settlement }
  const reconciliation = { ...core, gateways: funding.gateways, payoutProvider: outside.payouts }
  const notifications = await openNotifications(core, config)
  const documents = openPayDocuments(config.mode)
  return { ...core, funding, owners, payouts, settlement, reconciliation, notifications, documents }
}

type Contexts = Awaited<ReturnType<typeof openContexts>>

/** The sandbox's simulated gateway and bank; null where they are real. */
function simulationOf(
  { funding }: Contexts,
  { sandbox }: ExternalServices,
  mode: SandboxMode,
): SandboxContext | null {
  return sandbox && { ...mode, funding, gateway: sandbox.payments, payouts: sandbox.payouts }
}

function simulatedJobs(
  { mode }: Config,
  sandbox: SandboxMode,
  simulation: SandboxContext | null,
  thread: WebhookThread,
): Job[] {
  const jobs = mode === 'sandbox' ? [...sandboxJobs(sandbox), deliveriesJob(thread)] : []
  return simulation === null ? jobs : [...jobs, ...simulationJobs(simulation)]
}

function jobsOf(contexts: Contexts): Job[] {
  return [
    ...fundingJobs(contexts.funding),
    payoutAttempts(contexts.payouts),
    ...settlementJobs(contexts.settlement),
    bankVerifications(contexts.owners),
    accountChanges(contexts.owners),
    contexts.textMessages,
    webhookCleanup(contexts),
    ...reconciliationJobs(contexts.reconciliation),
    ...paymentJobs(contexts),
    certificateRenewals(contexts),
    ...policyJobs(contexts),
    budgetChanges(contexts),
    ...sessionJobs(contexts),
    ...passkeyJobs(contexts),
    ...appJobs(contexts),
    ...adminJobs(contexts),
    ...ledgerCheckJobs({ ...contexts, holdings: HOLDINGS, findAlteredAgents, tables: CHECKED_TABLES }),
    ...auditJobs(contexts),
    ...riskJobs(contexts),
    ...webhookJobs(contexts),
    ...contexts.notifications.jobs,
    ...requestLogJobs(contexts),
    listingChecks(contexts),
    idempotencyKeyCleanup(contexts.database),
  ]
}

function serveDomains(
  config: Config,
  { serve }: Server,
  contexts: Contexts & { readonly stopping: AbortSignal },
): void {
  const { mode } = config
  const signupOpen = config.platformSignup === 'open'
  servePlatforms(serve, { ...contexts, signupOpen, mode, countMoneyElsewhere, resumeWebhooks: wakeEndpoint })
  serveWebhooks(serve, { ...contexts, mode })
  serveRequestLog(serve, contexts)
  serveOwners(serve, contexts.owners)
  serveAgents(serve, { ...contexts, mode })
  servePolicySettings(serve, { ...contexts, mode })
  serveWallets(serve, contexts)
  serveFunding(serve, contexts.funding)
  servePayouts(serve, { ...contexts.payouts, agents: contexts.agents })
  serveSettlement(serve, contexts.settlement)
  servePayments(serve, { ...contexts, receiptToken: createReceiptTokens(contexts) })
  serveEscrow(serve, contexts)
  serveAuthorizations(serve, contexts)
  serveOrganizations(serve, contexts)
  serveAllocations(serve, contexts)
  serveAllowances(serve, contexts)
  serveApprovals(serve, { ...contexts, executors: executorsOf(contexts) })
  servePageData(serve, { ...contexts, mode })
  serveTransactions(serve, contexts)
  serveStatements(serve, { ...contexts, coveringCheckpoint: openCoveringCheckpoint(contexts) })
  servePayPerCall(serve, { ...contexts, rail: railOf(config) })
  serveDiscovery(serve, { ...contexts, mode })
  serveReceipts(serve, contexts)
  serveIdentity(serve, contexts)
  serveAudit(serve, { ...contexts, requireAccess })
  const secure = config.baseUrl.startsWith('https:')
  serveSessions(serve, { ...contexts, secure, onSessionsEnded: contexts.notifications.onSessionsEnded })
  servePasskeys(serve, { ...contexts, secure })
  contexts.notifications.serve(serve)
  serveRisk(serve, { ...contexts, quarantine: quarantineAgent })
  serveAdmin(serve, {
    ...contexts,
    countPendingApprovals,
    countOpenAlerts,
    countFailedDeliveries,
    readReconciliation,
  })
  serveReconciliation(serve, contexts.reconciliation)
  serveKeys(serve, contexts)
  serveGatewayWebhooks(serve, {
    ...contexts,
    handlers: [...fundingWebhooks(contexts.funding), ...payoutWebhooks(contexts.payouts)],
  })
}

/** The checkout page, and in sandbox the simulated payer. */
function servePages(
  { serve, pages }: Server,
  funding: Contexts['funding'],
  { checkoutScript: script }: ExternalServices,
  simulation: SandboxContext | null,
): void {
  const simulate: Simulate | null =
    simulation && ((session, outcome, method) => simulateOutcome(simulation, session, outcome, method))
  pages(scope => serveCheckout(scope, { funding, serviceName: PRODUCT_NAME, simulate, script }))
  if (simulation !== null) serveSimulation(serve, simulation)
}
