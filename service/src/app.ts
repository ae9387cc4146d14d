import type { AddressInfo } from 'node:net'
import { INTRODUCTION } from '@batua/contract'
import { completeRows } from './complete-rows.ts'
import type { Config } from './config/config.ts'
import { type Core, openCore, type Surroundings } from './core.ts'
import { type Database } from './db/database.ts'
import { addDocs } from './http/docs.ts'
import { addHealth } from './http/health.ts'
import { forgetIdempotencyKeys } from './http/idempotency-key.ts'
import { addMetrics, openMetricsListener } from './http/metrics.ts'
import { createServer, type Server } from './http/server.ts'
import { createJobs, type Job } from './jobs/jobs.ts'
import { adminJobs, serveAdmin } from './modules/admin/index.ts'
import {
  completeAgents,
  findAlteredAgents,
  quarantineAgent,
  raiseAgentsToTier1,
  renewalJobs,
  requireAgentAccess,
  serveAgents,
} from './modules/agents/index.ts'
import { serveAllocations } from './modules/allocations/index.ts'
import {
  approvalJobs,
  countPendingApprovals,
  type Executors,
  serveApprovals,
} from './modules/approvals/index.ts'
import { addAuditMetrics, auditJobs, serveAudit } from './modules/audit/index.ts'
import { openHolidays } from './modules/calendar/index.ts'
import { type Rehearse, serveCheckout } from './modules/checkout/index.ts'
import { escrowJobs, executeHold, serveEscrow, sumHeld } from './modules/escrow/index.ts'
import { fundingJobs, fundingNotices, gatewaysOf, serveFunding } from './modules/funding/index.ts'
import { serveIdentity } from './modules/identity/index.ts'
import { addIntegrityMetrics, integrityJobs } from './modules/integrity/index.ts'
import { serveKeys } from './modules/keys/index.ts'
import { noticeJobs, serveNotices } from './modules/notices/index.ts'
import { organizationJobs, serveOrganizations } from './modules/organizations/index.ts'
import { ownerJobs, serveOwners } from './modules/owners/index.ts'
import { servePayPerCall } from './modules/pay-per-call/index.ts'
import { executePayment, servePayments } from './modules/payments/index.ts'
import { payoutJobs, payoutNotices, servePayouts, sumPayoutsPending } from './modules/payouts/index.ts'
import { servePlatforms } from './modules/platforms/index.ts'
import { policyJobs, servePolicySettings } from './modules/policy-settings/index.ts'
import { createReceiptTokens, serveReceipts } from './modules/receipts/index.ts'
import {
  addReconciliationMetrics,
  readReconciliation,
  reconciliationJobs,
  serveReconciliation,
} from './modules/reconciliation/index.ts'
import { countOpenAlerts, riskJobs, serveRisk } from './modules/risk/index.ts'
import {
  playOutcome,
  rehearsalJobs,
  type SandboxContext,
  type SandboxMode,
  sandboxJobs,
  serveRehearsal,
  serveSandbox,
} from './modules/sandbox/index.ts'
import { serveSessions, sessionJobs } from './modules/sessions/index.ts'
import { serveSettlement, settlementJobs } from './modules/settlement/index.ts'
import { serveTransactions } from './modules/transactions/index.ts'
import { serveWallets } from './modules/wallets/index.ts'
import {
  addWebhookMetrics,
  countFailedDeliveries,
  serveWebhooks,
  wakeEndpoint,
  webhookJobs,
} from './modules/webhooks/index.ts'
import { countMoneyElsewhere } from './money-elsewhere.ts'
import { type OutsideWorld, openGateways, PRODUCT_NAME } from './open-gateways.ts'
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
export async function createApp(config: Config, surroundings: Surroundings): Promise<App> {
  const core = await openCore(config, surroundings)
  await completeRows(core)
  await completeAgents(core)
  const server = await openServer(config, surroundings, core)
  const address = { port: config.port }
  const outside = openGateways(config, core, () => `http://${loopback(config.host)}:${address.port}`)
  const parts = await openParts(config, core, outside)
  const thread = openWebhookThread({ ...core, ...config, ...surroundings })
  const mode = { ...core, jobs: () => jobs }
  const rehearsal = rehearsalOf(parts, outside, mode)
  const jobs = createJobs({
    ...core,
    jobs: [...jobsOf(parts), ...playedJobs(config, mode, rehearsal, thread)],
  })
  const stopping = new AbortController()
  serveModules(config, server, { ...parts, stopping: stopping.signal })
  servePages(server, parts.funding, outside, rehearsal)
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
async function openParts(config: Config, core: Core, outside: OutsideWorld) {
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
function rehearsalOf(parts: Parts, { sandbox }: OutsideWorld, mode: SandboxMode): SandboxContext | null {
  return sandbox && { ...mode, funding: parts.funding, gateway: sandbox.payments, payouts: sandbox.payouts }
}

function playedJobs(
  { mode }: Config,
  sandbox: SandboxMode,
  rehearsal: SandboxContext | null,
  thread: WebhookThread,
): Job[] {
  const jobs = mode === 'sandbox' ? [...sandboxJobs(sandbox), deliveriesJob(thread)] : []
  return rehearsal === null ? jobs : [...jobs, ...rehearsalJobs(rehearsal)]
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
    ...noticeJobs(parts),
    ...reconciliationJobs(parts.reconciliation),
    ...escrowJobs(parts),
    ...approvalJobs(parts),
    ...renewalJobs(parts),
    ...policyJobs(parts),
    ...organizationJobs(parts),
    ...sessionJobs(parts),
    ...adminJobs(parts),
    ...integrityJobs({ ...parts, holdings: HOLDINGS, findAlteredAgents }),
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
  serveNotices(serve, {
    ...parts,
    takers: [...fundingNotices(parts.funding), ...payoutNotices(parts.payouts)],
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
  { checkoutScript: script }: OutsideWorld,
  rehearsal: SandboxContext | null,
): void {
  const rehearse: Rehearse | null =
    rehearsal && ((session, outcome, method) => playOutcome(rehearsal, session, outcome, method))
  pages(scope => serveCheckout(scope, { funding, serviceName: PRODUCT_NAME, rehearse, script }))
  if (rehearsal !== null) serveRehearsal(serve, rehearsal)
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
