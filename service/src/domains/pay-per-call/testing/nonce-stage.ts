import type { AgentCaller } from '../../../http/caller.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import type { Ledger, Transfer } from '../../../ledger/index.ts'
import { fund } from '../../../testing/builders.ts'
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts'
import { openTestLedger, postPayment } from '../../../testing/model/wallets.ts'
import {
  agentCaller,
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
} from '../../../testing/network.ts'

/** A seller whose payments carry nonces, a buyer with money, and an agent that is no party to the payments. */
export interface NonceStage {
  readonly db: TestDatabase
  readonly ledger: Ledger
  readonly context: NetworkContext
  readonly buyer: AgentCaller
  readonly seller: AgentCaller
  readonly stranger: AgentCaller
  newNonce(): string
  /** The buyer pays the seller 12.50 INR, with a new nonce unless one is given. */
  paid(nonce?: string | null): Promise<Transfer>
  close(): Promise<void>
}

export async function openNonceStage(clock: Clock): Promise<NonceStage> {
  const db = await createTestDatabase({ maxConnections: 20 })
  const context = networkContext(db.database, clock)
  const ledger = openTestLedger(db.database, clock)
  const { platform } = await newPlatform(context)
  const owner = await newOwner(context, platform.id)
  const [buyer, seller, stranger] = [
    agentCaller(await newAgent(context, owner, { handle: 'buyer' })),
    agentCaller(await newAgent(context, owner, { handle: 'seller' })),
    agentCaller(await newAgent(context, owner, { handle: 'stranger' })),
  ]
  await fund(ledger, buyer.agentId, 10_000_000n)
  const newNonce = () => newUuid(clock.now())
  return {
    ...{ db, ledger, context, buyer, seller, stranger, newNonce },
    paid: (nonce = newNonce()) =>
      postPayment(ledger, buyer.agentId, seller.agentId, 1_250n, { reference: nonce }),
    async close() {
      await ledger.close()
      await db.drop()
    },
  }
}
