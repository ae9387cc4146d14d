import { writeMacs } from '../db/row-mac.ts'
import type { PayoutsContext } from '../domains/banking/payouts/context.ts'
import { type AgentPolicyCache, openAgentPolicyCache } from '../domains/limits/agent-facts.ts'
import { personalContext } from '../domains/parties/owners/personal-data.ts'
import { OWNER_ROWS } from '../domains/parties/owners/store.ts'
import type { PayoutProvider } from '../gateways/payout-provider.ts'
import { fixedCalendar } from '../kernel/holiday-file.ts'
import type { Uuid } from '../kernel/ids.ts'
import { silentLogger } from '../kernel/logger.ts'
import { openLedger } from '../ledger/index.ts'
import type { TestDatabase } from './database.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import {
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
  TEST_VAULT,
} from './network.ts'

/** The part of a node that makes payouts: the context, and a way to close it. */
export interface PayoutNode extends PayoutsContext {
  /** For payments during the payouts. */
  readonly agents: AgentPolicyCache
  readonly clock: ManualClock
  readonly faults: unknown[]
  close(): Promise<void>
}

export function openPayoutNode(
  { database }: TestDatabase,
  payoutProvider: PayoutProvider,
  clock: ManualClock,
): PayoutNode {
  const faults: unknown[] = []
  const ledger = openLedger({ database, clock, vault: TEST_VAULT, onError: error => faults.push(error) })
  return {
    database,
    clock,
    ledger,
    faults,
    payoutProvider,
    agents: openAgentPolicyCache(),
    vault: TEST_VAULT,
    logger: silentLogger(),
    holidays: fixedCalendar(),
    close: () => ledger.close(),
  }
}

/** Owners with agents, whose bank accounts are verified or not. */
export interface PayoutNetwork {
  readonly network: NetworkContext
  readonly platformId: Uuid
  owner(verified?: boolean): Promise<Uuid>
  agentOf(ownerId: Uuid): Promise<Uuid>
  /** An agent of a verified owner of its own. */
  agent(): Promise<Uuid>
}

export async function openPayoutNetwork(
  { database }: TestDatabase,
  clock = manualClock(new Date()),
): Promise<PayoutNetwork> {
  const network = networkContext(database, clock)
  const { platform } = await newPlatform(network)
  const owners = new Map<Uuid, Awaited<ReturnType<typeof newOwner>>>()
  const opened: PayoutNetwork = {
    network,
    platformId: platform.id,
    async owner(verified = true) {
      const owner = await newOwner(network, platform.id)
      owners.set(owner.id, owner)
      if (verified) await verify(network, owner.id)
      return owner.id
    },
    async agentOf(ownerId) {
      const owner = owners.get(ownerId)
      if (owner === undefined) throw new Error('there is no such owner')
      return (await newAgent(network, owner)).agent.id
    },
    agent: async () => opened.agentOf(await opened.owner()),
  }
  return opened
}

/** Marks this account as verified by the bank. */
export async function verify(
  { database, vault }: Pick<NetworkContext, 'database' | 'vault'>,
  ownerId: Uuid,
  bankAccount = '501234567890',
): Promise<void> {
  await database.inTransaction(async tx => {
    await tx.query(
      `update owners set kyc_status = 'verified', bank_account = $2, bank_account_last4 = $3, bank_ifsc = 'HDFC0001234'
       where id = $1`,
      [ownerId, vault.encrypt(bankAccount, personalContext(ownerId, 'bank_account')), bankAccount.slice(-4)],
    )
    await writeMacs(tx, vault, OWNER_ROWS, [ownerId])
  })
}
