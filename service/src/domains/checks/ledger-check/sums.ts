import type { Uuid } from '../../../kernel/ids.ts'
import { SYSTEM, TRANSFER_KINDS, type TransferKind } from '../../../ledger/index.ts'
import type { Finding } from '../../../operations/scan.ts'
import { type Sum, WALLETS } from './store.ts'

/** Between which accounts each kind moves money; `wallets` stands for any of them. */
const MOVEMENTS: Record<TransferKind, readonly (readonly [Uuid, Uuid])[]> = {
  payment: [[WALLETS, WALLETS]],
  refund: [[WALLETS, WALLETS]],
  allocation: [[WALLETS, WALLETS]],
  fund: [[SYSTEM.gateway, WALLETS]],
  chargeback: [
    [WALLETS, SYSTEM.gateway],
    [SYSTEM.chargebacks, SYSTEM.gateway],
  ],
  escrow_hold: [[WALLETS, SYSTEM.escrow]],
  escrow_release: [[SYSTEM.escrow, WALLETS]],
  escrow_refund: [[SYSTEM.escrow, WALLETS]],
  authorization: [[WALLETS, SYSTEM.authorizations]],
  capture: [[SYSTEM.authorizations, WALLETS]],
  authorization_return: [[SYSTEM.authorizations, WALLETS]],
  authorization_fee: [[SYSTEM.authorizations, SYSTEM.fees]],
  payout: [[WALLETS, SYSTEM.payouts]],
  payout_paid: [[SYSTEM.payouts, SYSTEM.gateway]],
  payout_failed: [[SYSTEM.payouts, WALLETS]],
  payout_reversed: [[SYSTEM.gateway, WALLETS]],
}

/** The sums of the whole ledger at one moment, in paise. */
export interface LedgerSums {
  /** The balance of every system account by its name, and of all wallets together, by the transfers. */
  readonly balances: Readonly<Record<string, bigint>>
  /** The balances of the wallets less the sum of their transfers. */
  readonly walletsDifference: bigint
  /** The money in escrow less the sum of the open escrows. */
  readonly escrowDifference: bigint
  /** The money set aside for captures less the sum of what is left of the authorizations. */
  readonly authorizationsDifference: bigint
  /** The money on its way to banks less the sum of the pending payouts. */
  readonly payoutsDifference: bigint
}

/** The sums of the records beside the transfers, in paise. */
interface Recorded {
  readonly wallets: bigint
  readonly escrow: bigint
  readonly authorizations: bigint
  readonly payouts: bigint
}

export function sumLedger(sums: readonly Sum[], recorded: Recorded): LedgerSums {
  const accounts: readonly (readonly [string, Uuid])[] = [['wallets', WALLETS], ...Object.entries(SYSTEM)]
  const balances: Record<string, bigint> = {}
  for (const [name, account] of accounts) balances[name] = balanceOf(sums, account)
  return {
    balances,
    walletsDifference: recorded.wallets - (balances['wallets'] ?? 0n),
    escrowDifference: (balances['escrow'] ?? 0n) - recorded.escrow,
    authorizationsDifference: (balances['authorizations'] ?? 0n) - recorded.authorizations,
    payoutsDifference: (balances['payouts'] ?? 0n) - recorded.payouts,
  }
}

/** By kind. An altered row may have a kind that does not exist. */
const FEE_ACCOUNTS: Readonly<Record<string, { readonly feeAccount: Uuid }>> = TRANSFER_KINDS

/** Credited: the amount. Debited: amount and fee. The fee belongs to the fee account of the kind. */
function balanceOf(sums: readonly Sum[], account: Uuid): bigint {
  let balance = 0n
  for (const { kind, debit, credit, amount, fee } of sums) {
    if (credit === account) balance += amount
    if (debit === account) balance -= amount + fee
    if (FEE_ACCOUNTS[kind]?.feeAccount === account) balance += fee
  }
  return balance
}

export function faultsOfSums(sums: readonly Sum[], ledger: LedgerSums): Finding[] {
  const differences: readonly [Uuid, string, bigint][] = [
    [WALLETS, 'sum_differs', ledger.walletsDifference],
    [SYSTEM.escrow, 'escrow_differs', ledger.escrowDifference],
    [SYSTEM.authorizations, 'authorizations_differ', ledger.authorizationsDifference],
    [SYSTEM.payouts, 'payouts_differ', ledger.payoutsDifference],
  ]
  const faults: Finding[] = differences.flatMap(([subject, kind, paise]) =>
    paise === 0n ? [] : [{ subject, kind, detail: `by ${paise} paise` }],
  )
  const unknown = sums
    .filter(sum => !isKnown(sum))
    .map(({ kind, debit, credit }) => `${kind} ${debit} ${credit}`)
  if (unknown.length > 0) {
    faults.push({ subject: WALLETS, kind: 'unknown_movement', detail: [...new Set(unknown)].join(', ') })
  }
  return faults
}

function isKnown({ kind, debit, credit }: Sum): boolean {
  const movements: Readonly<Record<string, (typeof MOVEMENTS)[TransferKind]>> = MOVEMENTS
  return movements[kind]?.some(([from, to]) => from === debit && to === credit) ?? false
}
