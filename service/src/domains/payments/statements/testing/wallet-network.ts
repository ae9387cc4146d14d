import type { listTransactions, ResponseOf } from '@batua/contract'
import type { AgentCaller } from '../../../../http/caller.ts'
import type { Clock } from '../../../../kernel/clock.ts'
import { formatId } from '../../../../kernel/ids.ts'
import type { Ledger } from '../../../../ledger/index.ts'
import { createTestDatabase, type TestDatabase } from '../../../../testing/database.ts'
import { openTestLedger } from '../../../../testing/model/wallets.ts'
import {
  agentCaller,
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
} from '../../../../testing/network.ts'
import type { Owner } from '../../../parties/owners/store.ts'
import { readStatement } from '../read-statement.ts'
import type { StatementQuery } from './expected-statement.ts'
import {
  completeFunding,
  type History,
  type HistoryAgent,
  newHistory,
  openFunding,
} from './wallet-history.ts'

export type Wallet = HistoryAgent & { readonly caller: AgentCaller }

/** One owner's wallets in a database of their own. */
export interface WalletNetwork {
  readonly db: TestDatabase
  readonly network: NetworkContext
  readonly ledger: Ledger
  readonly owner: Owner
  close(): Promise<void>
}

export async function openWalletNetwork(clock: Clock): Promise<WalletNetwork> {
  const db = await createTestDatabase()
  const network = networkContext(db.database, clock)
  const ledger = openTestLedger(db.database, clock)
  const { platform } = await newPlatform(network)
  const owner = await newOwner(network, platform.id)
  return {
    db,
    network,
    ledger,
    owner,
    async close() {
      await ledger.close()
      await db.drop()
    },
  }
}

export function emptyHistory({ db, ledger, network }: WalletNetwork): History {
  return newHistory(db.database, ledger, () => network.clock.now())
}

export async function newWallet({ network, owner }: WalletNetwork, name: string): Promise<Wallet> {
  const created = await newAgent(network, owner, { name })
  return { id: created.agent.id, name, caller: agentCaller(created) }
}

const MUCH_PAISE = 100_000_000n

/** A wallet with money to spend: its first line is a completed funding. */
export async function newFilledWallet(open: WalletNetwork, history: History, name: string): Promise<Wallet> {
  const wallet = await newWallet(open, name)
  await completeFunding(history, await openFunding(history, wallet, MUCH_PAISE), 0n)
  return wallet
}

export function read(
  { network }: WalletNetwork,
  wallet: Wallet,
  query: StatementQuery = {},
): Promise<ResponseOf<typeof listTransactions>> {
  return readStatement(network, wallet.caller, formatId('agt', wallet.id), query)
}
