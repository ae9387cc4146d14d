import { Counter } from 'prom-client'
import type { Config } from './config/config.ts'
import { markDatabase } from './database-mark.ts'
import { openDatabase } from './db/database.ts'
import { openAgentPolicyCache } from './domains/limits/index.ts'
import {
  createAuthenticators,
  createSessionAuthenticators,
  openAgentKeyCache,
  openHandleCache,
  openOtpDispatcher,
  openTextMessages,
} from './domains/parties/index.ts'
import { createSignalRecorder, type RiskSignals } from './domains/risk/index.ts'
import {
  createSandboxOtpSender,
  createSandboxTextSender,
  followSandboxClock,
  type SandboxMode,
} from './domains/sandbox/index.ts'
import { openSigningKeys } from './domains/signing/index.ts'
import { createHttpOtpSender } from './gateways/otp-sender-http.ts'
import { createHttpTextSender } from './gateways/text-sender-http.ts'
import { connectRedis } from './http/redis.ts'
import { rewriteClearUses } from './http/rewrite-clear-uses.ts'
import { withSharedLookUps } from './http/shared-lookup.ts'
import type { Clock } from './kernel/clock.ts'
import type { Logger } from './kernel/logger.ts'
import { createMetrics, type Metrics } from './kernel/metrics.ts'
import { openVault, type Vault } from './kernel/secrets.ts'
import { openLedger } from './ledger/index.ts'
import { addLedgerMetrics } from './ledger/metrics.ts'

/** What the process hands in: everything that an application cannot make of its configuration alone. */
export interface CoreOptions {
  readonly databaseUrl: string
  readonly masterKey: Buffer
  readonly clock: Clock
  readonly logger: Logger
  /** Tests have every answer checked against its schema. */
  readonly verifyResponses?: boolean
}

/** Connections that jobs never take, however many of them are at work. */
const KEPT_FOR_CALLERS = 3

/** What every module works with. */
export async function openCore(config: Config, { databaseUrl, masterKey, clock, logger }: CoreOptions) {
  const metrics = createMetrics()
  const database = openDatabase(databaseUrl, {
    keptForCallers: KEPT_FOR_CALLERS,
    onError: ({ message }) => logger.warn({ reason: message }, 'idle database connection broke'),
  })
  if (config.mode === 'sandbox') await followSandboxClock(database, clock)
  const vault = openVault(masterKey, reportAltered(metrics, logger))
  // Opening the keys proves the master key on a database of before there were marks.
  const signingKeys = await openSigningKeys({ database, clock, vault })
  await markDatabase(database, { mode: config.mode, vault }, clock.now())
  await rewriteClearUses(database, vault)
  const signals = createSignalRecorder(clock)
  return {
    clock,
    logger,
    metrics,
    database,
    vault,
    ledger: openLedger({ database, clock, vault, ...addLedgerMetrics(metrics, logger) }),
    signingKeys,
    findAgent: openHandleCache(database, vault),
    agents: openAgentPolicyCache(),
    signals,
    ...openLogin(config, { database, clock, vault, logger, signals }),
    ...openMessages(config, { database, clock, vault, logger }),
    agentKeys: openAgentKeyCache(database.authentication, vault),
    serviceName: config.serviceName,
    limitIncreaseCooldownS: config.limitIncreaseCooldownS,
    maxAgentsPerOwner: config.maxAgentsPerOwner,
    maxAgentsPerPlatform: config.maxAgentsPerPlatform,
    redis: config.redisUrl === null ? null : connectRedis(config.redisUrl, logger),
  }
}

/** Each row that is refused because the service did not write it, or not last: somebody wrote to the database. */
function reportAltered(metrics: Metrics, logger: Logger): Vault['onAltered'] {
  const refused = new Counter({
    name: 'altered_rows_refused_total',
    help: 'Rows refused because their MAC does not fit or they are older than audited',
    labelNames: ['table'],
    registers: [metrics],
  })
  return (table, id, why) => {
    refused.inc({ table })
    logger.error({ table, row: id, why }, 'altered row: refused; somebody else wrote to the database')
  }
}

interface LoginServices extends Pick<SandboxMode, 'database' | 'clock'> {
  readonly vault: Vault
  readonly logger: Logger
  readonly signals: RiskSignals
}

/** Who belongs to which credential, and how the codes for new sessions reach their phones. */
function openLogin(
  { adminPhones, adminTotpSecrets, otpSender }: Config,
  { logger, signals, ...services }: LoginServices,
) {
  const telephones = createSandboxOtpSender(services)
  const sender = otpSender.kind === 'sandbox' ? telephones : createHttpOtpSender(otpSender)
  const otpDispatcher = openOtpDispatcher(sender, logger)
  const sessions = createSessionAuthenticators({ ...services, adminPhones })
  return {
    adminPhones,
    adminTotpSecrets,
    otpDispatcher,
    authenticators: withSharedLookUps({
      ...createAuthenticators(services.database.authentication, services.vault, signals),
      ...sessions,
    }),
    async lastOtp(phone: string) {
      await otpDispatcher.drained()
      return telephones.lastCode(phone)
    },
  }
}

/** How owners are told what happened to their accounts. */
function openMessages(
  { textMessages: { sender: chosen, texts }, baseUrl }: Config,
  services: Omit<LoginServices, 'signals'>,
) {
  const telephones = createSandboxTextSender(services)
  const sender = chosen.kind === 'sandbox' ? telephones : createHttpTextSender(chosen)
  const textMessages = openTextMessages({ ...services, sender, texts, baseUrl })
  return {
    textMessages,
    async receivedMessages(phone: string) {
      await textMessages.sendDue(services.clock.now())
      return telephones.received(phone)
    },
  }
}

export type Core = Awaited<ReturnType<typeof openCore>>
