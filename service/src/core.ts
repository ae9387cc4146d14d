import type { Config } from './config/config.ts'
import { openDatabase } from './db/database.ts'
import { markDatabase } from './db/database-mark.ts'
import { createPaymentMeter } from './domains/admin/index.ts'
import { createAppAuthenticators, openToolCalls } from './domains/apps/index.ts'
import { openAgentPolicyCache } from './domains/limits/index.ts'
import type { MessageChannel } from './domains/notifications/index.ts'
import {
  createAuthenticators,
  createSessionAuthenticators,
  openAgentKeyCache,
  openHandleCache,
  openOtpDispatcher,
  openStepUp,
  openTextMessages,
  relyingPartyOf,
} from './domains/parties/index.ts'
import { openRequestLog } from './domains/requests/index.ts'
import { createSignalRecorder, type RiskSignals } from './domains/risk/index.ts'
import {
  createSandboxOtpSender,
  createSandboxTextSender,
  followSandboxClock,
  type SandboxMode,
} from './domains/sandbox/index.ts'
import { openSigningKeys } from './domains/signing/index.ts'
import { createHttpOtpSender, createHttpTextSender } from './gateways/http-senders.ts'
import type { TextSender } from './gateways/message-senders.ts'
import { openAppCalls } from './http/admission/app-calls.ts'
import { type CountStore, connectRedis } from './http/admission/rate-limit-store.ts'
import { withSharedLookUps } from './http/admission/shared-lookup.ts'
import { rewriteClearUses } from './http/idempotency/rewrite-clear-uses.ts'
import type { Clock } from './kernel/clock.ts'
import type { Logger } from './kernel/logger.ts'
import { addCounter, createMetrics, type Metrics } from './kernel/metrics.ts'
import { openVault, type Vault } from './kernel/secrets.ts'
import { openTracing } from './kernel/tracing.ts'
import { addLedgerMetrics, openLedger } from './ledger/index.ts'

/** The dependencies that the process passes in besides the configuration. */
export interface CoreOptions {
  readonly databaseUrl: string
  readonly masterKey: Buffer
  readonly clock: Clock
  readonly logger: Logger
  /** Tests check every response against its schema. */
  readonly verifyResponses?: boolean
  /** What this process shares with the other processes of its node; absent: it is the node. */
  readonly node?: SharedNode
}

export interface SharedNode {
  /** The number of this process, for its log. */
  readonly worker: number
  /** Counts requests for their rate limits. */
  readonly counts: CountStore
  /** The metrics of all processes. */
  metricsText(): Promise<string>
}

/** The number of connections that jobs may not use. */
const KEPT_FOR_CALLERS = 3

/** What every domain works with. */
export async function openCore(config: Config, { databaseUrl, masterKey, clock, logger, node }: CoreOptions) {
  const metrics = createMetrics()
  addCounter(metrics, 'batua_worker_exits_total')
  const database = openDatabase(databaseUrl, {
    keptForCallers: KEPT_FOR_CALLERS,
    onError: ({ message }) => logger.warn({ reason: message }, 'idle database connection broke'),
    onChange: host => logger.warn({ host }, 'another host of the database is the primary'),
  })
  if (config.mode === 'sandbox') await followSandboxClock(database, clock)
  const vault = openVault(masterKey, reportAltered(metrics, logger))
  // Decrypting the keys proves the master key for a database of a release without marks.
  const signingKeys = await openSigningKeys({ database, clock, vault })
  await markDatabase(database, { mode: config.mode, vault }, clock.now())
  await rewriteClearUses(database, vault)
  const signals = createSignalRecorder(clock)
  return {
    requestLog: openRequestLog({ database, clock, logger, metrics }),
    toolCalls: openToolCalls({ database, clock, logger }),
    clock,
    logger,
    metrics,
    tracing: config.tracing === null ? null : await openTracing(config.tracing, logger),
    database,
    vault,
    ledger: openLedger({ database, clock, vault, ...addLedgerMetrics(metrics, logger) }),
    signingKeys,
    findAgent: openHandleCache(database, vault),
    agents: openAgentPolicyCache(),
    signals,
    meter: createPaymentMeter(clock),
    ...openLogin(config, { database, clock, vault, logger, signals }),
    ...openPasskeys(config, { database, vault }),
    ...openMessages(config, { database, clock, vault, logger }),
    agentKeys: openAgentKeyCache(database.lookUps, vault),
    serviceName: config.serviceName,
    limitIncreaseCooldownS: config.limitIncreaseCooldownS,
    maxAgentsPerOwner: config.maxAgentsPerOwner,
    maxAgentsPerPlatform: config.maxAgentsPerPlatform,
    redis: config.redisUrl === null ? null : await connectRedis(config.redisUrl, logger),
    nodeCounts: node?.counts ?? null,
    shownMetrics:
      node === undefined ? metrics : { contentType: metrics.contentType, metrics: node.metricsText },
  }
}

/** Counts and logs each row that failed verification, which shows that another program wrote to the database. */
function reportAltered(metrics: Metrics, logger: Logger): Vault['onAltered'] {
  const refused = addCounter(metrics, 'batua_altered_rows_refused_total')
  return (table, id, why) => {
    refused.inc({ table })
    logger.error({ table, row: id, why }, 'altered row refused: it was not written by this service')
  }
}

interface LoginServices extends Pick<SandboxMode, 'database' | 'clock'> {
  readonly vault: Vault
  readonly logger: Logger
  readonly signals: RiskSignals
}

/** The authenticators, and the sending of one-time codes for new sessions. */
function openLogin(
  { adminPhones, adminTotpSecrets, otpSender }: Config,
  { logger, signals, ...services }: LoginServices,
) {
  const telephones = createSandboxOtpSender(services)
  const sender = otpSender.kind === 'sandbox' ? telephones : createHttpOtpSender(otpSender)
  const otpDispatcher = openOtpDispatcher(sender, logger)
  const sessions = createSessionAuthenticators({ ...services, adminPhones })
  const { database, vault, clock } = services
  const { app, appAgain } = createAppAuthenticators(database.lookUps, vault, clock)
  const appCalls = openAppCalls(appAgain)
  return {
    adminPhones,
    adminTotpSecrets,
    otpDispatcher,
    appCalls,
    authenticators: withSharedLookUps({
      ...createAuthenticators(database.lookUps, vault, signals),
      ...sessions,
      ...{ app, appCall: appCalls.callerOf },
    }),
    async lastOtp(phone: string) {
      await otpDispatcher.drained()
      return telephones.lastCode(phone)
    },
  }
}

/** Passkeys are made for the host of the public address. */
function openPasskeys({ baseUrl }: Config, services: Pick<LoginServices, 'database' | 'vault'>) {
  const relyingParty = relyingPartyOf(baseUrl)
  return { relyingParty, stepUp: openStepUp({ ...services, relyingParty }) }
}

/** The text messages to owners about changes of their accounts. */
function openMessages(
  { textMessages: { sender: chosen, texts }, notifications, baseUrl }: Config,
  services: Omit<LoginServices, 'signals'>,
) {
  const telephones = createSandboxTextSender(services)
  const sender = chosen.kind === 'sandbox' ? telephones : createHttpTextSender(chosen)
  const textMessages = openTextMessages({ ...services, sender, texts, baseUrl })
  return {
    textMessages,
    messages: openMessageChannel(notifications, telephones),
    async receivedMessages(phone: string) {
      await textMessages.run(services.clock.now())
      return telephones.received(phone)
    },
  }
}

/** The messages to owners about what happened. A simulated phone shows the link behind the text. */
function openMessageChannel(
  { sender, phones }: Config['notifications'],
  telephones: TextSender,
): MessageChannel | null {
  if (sender.kind === 'none') return null
  if (sender.kind === 'http') return { sender: createHttpTextSender(sender), phones }
  const send: TextSender['send'] = message =>
    telephones.send({ ...message, text: `${message.text} ${message.variables['url'] ?? ''}` })
  return { sender: { name: telephones.name, send }, phones }
}

export type Core = Awaited<ReturnType<typeof openCore>>
