import { routes } from '@batua/contract'
import pMap from 'p-map'
import type { Database } from '../../service/src/db/database.ts'
import { checkLedger } from '../../service/src/ledger/index.ts'
import type { Api } from './api.ts'
import type { Payer } from './messages.ts'
import type { Network } from './network.ts'

/** A guarantee that must hold after the load; otherwise the figures are invalid. */
export interface Finding {
  readonly guarantee: string
  readonly found: string
  readonly holds: boolean
}

const AT_ONCE = { concurrency: 32 }
const PAISE = 100
/** Every measured payment is small enough for the minimum fee. */
const FEE_PAISE = 100
const SAMPLED_RECEIPTS = 25

/** Compares the responses with what the service shows now and with the ledger. */
export async function verify(api: Api, db: Database, network: Network, paid: number): Promise<Finding[]> {
  return [
    ...(await verifyBalances(api, network, paid)),
    await verifyReceipts(api, network),
    await verifyCount(db, network, paid),
    await verifyLedger(db),
  ]
}

/** Reads every wallet. Their sum is what came in minus the fee of each acknowledged payment. */
async function verifyBalances(api: Api, network: Network, paid: number): Promise<Finding[]> {
  const wallets = [network.bank, ...network.payers]
  const balances = await pMap(
    wallets,
    ({ id }) => api.call(routes.getBalance, { params: { agent_id: id }, headers: network.platform }),
    AT_ONCE,
  )
  const heldPaise = balances.reduce((sum, { available }) => sum + toPaise(available), 0)
  const expectedPaise = network.heldPaise - paid * FEE_PAISE
  const odd = balances.filter(
    ({ available, total_funded, total_spent }) =>
      available < 0 || toPaise(available) !== toPaise(total_funded) - toPaise(total_spent),
  )
  return [
    {
      guarantee: 'the sum of all wallets is the funding minus the fees of the acknowledged payments',
      found: `${inr(heldPaise)} INR, expected ${inr(expectedPaise)} INR`,
      holds: heldPaise === expectedPaise,
    },
    {
      guarantee: 'each balance is what the wallet received minus what it spent, and none is negative',
      found: `${wallets.length - odd.length} of ${wallets.length}`,
      holds: odd.length === 0,
    },
  ]
}

async function verifyReceipts(api: Api, network: Network): Promise<Finding> {
  const sample = network.payers.slice(0, SAMPLED_RECEIPTS)
  const valid = await pMap(sample, payer => hasValidReceipt(api, payer), AT_ONCE)
  const good = valid.filter(Boolean).length
  return {
    guarantee: 'the receipts of some agents’ last payments verify',
    found: `${good} of ${sample.length}`,
    holds: good === sample.length,
  }
}

/** An agent that never paid has no receipt. */
async function hasValidReceipt(api: Api, payer: Payer): Promise<boolean> {
  const headers = { 'x-agent-key': payer.key }
  const { payments } = await api.call(routes.listPayments, {
    params: { agent_id: payer.id },
    query: { limit: '1' },
    headers,
  })
  const receipt_id = payments[0]?.receipt_id
  if (receipt_id === undefined) return true
  const { valid } = await api.call(routes.verifyReceipt, { params: { receipt_id }, headers })
  return valid
}

async function verifyCount(db: Database, network: Network, paid: number): Promise<Finding> {
  const [row] = await db.query<{ count: bigint }>(`select count(*) from transfers where kind = 'payment'`, [])
  const expected = network.openingPayments + paid
  return {
    guarantee: 'the ledger contains exactly the acknowledged payments',
    found: `${row?.count ?? 0} payments, ${expected} acknowledged`,
    holds: row?.count === BigInt(expected),
  }
}

async function verifyLedger(db: Database): Promise<Finding> {
  const report = await checkLedger(db)
  const faults = [report.wrongBalances, report.brokenHistories, report.overdrawn].flat().length
  return {
    guarantee: 'the ledger sums to zero, every balance equals its transfers, no history has a gap',
    found: `sum ${report.sumPaise} paise, ${faults} faults`,
    holds: report.balanced,
  }
}

function toPaise(rupees: number): number {
  return Math.round(rupees * PAISE)
}

function inr(paise: number): string {
  return (paise / PAISE).toFixed(2)
}
