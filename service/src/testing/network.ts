import { randomInt } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { countMoneyElsewhere } from '../domains/banking/index.ts'
import type { AgentsContext } from '../domains/parties/agents/context.ts'
import { type CreatedAgent, createAgent } from '../domains/parties/agents/create-agent.ts'
import type { AgentRequest } from '../domains/parties/agents/decide.ts'
import { openHandleCache } from '../domains/parties/agents/find-agent.ts'
import { raiseAgentsToTier1 } from '../domains/parties/agents/group-store.ts'
import type { OwnersContext } from '../domains/parties/owners/context.ts'
import { createOwner } from '../domains/parties/owners/create-owner.ts'
import type { Owner } from '../domains/parties/owners/store.ts'
import type { WithStepUp } from '../domains/parties/passkeys/step-up.ts'
import type { PlatformsContext } from '../domains/parties/platforms/context.ts'
import { type CreatedPlatform, createPlatform } from '../domains/parties/platforms/create-platform.ts'
import type { KeysContext } from '../domains/signing/keys/context.ts'
import { openSigningKeys, type SigningKeys } from '../domains/signing/keys/signing-keys.ts'
import type { AgentCaller, PlatformCaller } from '../http/caller.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import { formatId, type Uuid } from '../kernel/ids.ts'
import { silentLogger } from '../kernel/logger.ts'
import { openVault, type Vault } from '../kernel/secrets.ts'
import { service } from '../operations/facts.ts'
import { WITHOUT_PASSKEYS } from './without-passkeys.ts'

export const TEST_VAULT: Vault = openVault(Buffer.alloc(32, 7))

/** The context of the use cases of platforms, owners and agents; the bank verifies every account. */
export function networkContext(database: Database, clock: Clock = systemClock()) {
  return {
    database,
    clock,
    vault: TEST_VAULT,
    signupOpen: true,
    mode: 'sandbox',
    countMoneyElsewhere,
    resumeWebhooks: async () => undefined,
    findAgent: openHandleCache(database, TEST_VAULT),
    bankVerifier: {
      name: 'test',
      verifyAccount: claim =>
        Promise.resolve({ kind: 'verified', nameAtBank: claim.name, nameMatchScore: 100, reason: null }),
      checkAgain: (_reference, claim) =>
        Promise.resolve({ kind: 'verified', nameAtBank: claim.name, nameMatchScore: 100, reason: null }),
    },
    logger: silentLogger(),
    raiseAgentsToTier1,
    signingKeys: keysOnDemand({ database, clock, vault: TEST_VAULT }),
    serviceName: 'batua',
    // For tests without payments; others pass their ledger.
    ledger: { awaitCommits: (_accounts: readonly Uuid[]) => Promise.resolve() },
    limitIncreaseCooldownS: 86_400,
    maxAgentsPerOwner: 10_000,
    maxAgentsPerPlatform: 1_000_000,
    stepUp: WITHOUT_PASSKEYS,
  } satisfies PlatformsContext & OwnersContext & AgentsContext & WithStepUp
}

/** Opens the keys at the first use, because a context is made synchronously. */
function keysOnDemand(context: KeysContext): SigningKeys {
  let opened: Promise<SigningKeys> | null = null
  const keys = () => (opened ??= openSigningKeys(context))
  return {
    current: async () => (await keys()).current(),
    at: async moment => (await keys()).at(moment),
    byId: async id => (await keys()).byId(id),
    all: async () => (await keys()).all(),
  }
}

export type NetworkContext = ReturnType<typeof networkContext>

export function newPlatform(context: NetworkContext): Promise<CreatedPlatform> {
  return createPlatform(context, service('test'), { name: 'Test platform' })
}

/** A new owner with a random phone and PAN. */
export function newOwner(context: NetworkContext, platformId: string): Promise<Owner> {
  return createOwner(context, platformId, { name: 'Asha Rao', phone: randomPhone(), pan: randomPan() })
}

export function newAgent(
  context: NetworkContext,
  owner: Owner,
  request: Partial<AgentRequest> = {},
): Promise<CreatedAgent> {
  return createAgent(context, owner.platformId, {
    name: 'Test agent',
    handle: randomHandle(),
    owner_id: formatId('own', owner.id),
    ...request,
  })
}

export function platformCaller(platformId: string): PlatformCaller {
  return { kind: 'platform', platformId }
}

export function agentCaller({ agent }: CreatedAgent): AgentCaller {
  const { id, platformId, ownerId, keyHash } = agent
  return { kind: 'agent', agentId: id, platformId, ownerId, keyHash }
}

export function randomPhone(): string {
  return `9${digits(9)}`
}

export function randomPan(): string {
  return `${letters(5)}${digits(4)}${letters(1)}`
}

export function randomHandle(): string {
  return `agent-${letters(12).toLowerCase()}`
}

function digits(count: number): string {
  return Array.from({ length: count }, () => randomInt(10)).join('')
}

function letters(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(65 + randomInt(26))).join('')
}
