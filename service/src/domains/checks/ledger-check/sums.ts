import type { Uuid } from '../../../kernel/ids.ts'
import { SYSTEM, TRANSFER_KINDS, type TransferKind } from '../../../ledger/index.ts'
import { type Sum, WALLETS } from './sums-store.ts'
import type { Fault } from './wallet-proof.ts'

export const SUM_FAULTS = ['sum_differs', 'escrow_differs', 'payouts_differ', 'unknown_movement'] as const

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
  payout: [[WALLETS, SYSTEM.payouts]],
  payout_paid: [[SYSTEM.payouts, SYSTEM.gateway]],
  payout_failed: [[SYSTEM.payouts, WALLETS]],
  payout_reversed: [[SYSTEM.gateway, WALLETS]],
}

/** What the whole book comes to at one moment, in paise. */
export interface BookSums {
  /** The balance of every system account by its name, and of all wallets together, by the transfers. */
  readonly balances: Readonly<Record<string, bigint>>
  /** What the wallets' accounts say, less what the transfers say: 0, so that the sum over all accounts is zero. */
  readonly walletsDifference: bigint
  /** What escrow holds, less what the held escrows say. */
  readonly escrowDifference: bigint
  /** What is on its way to banks, less what the pending payouts say. */
  readonly payoutsDifference: bigint
}

/** What stands in the records beside the transfers, in paise. */
export interface Recorded {
  readonly wallets: bigint
  readonly escrow: bigint
  readonly payouts: bigint
}

export function sumBook(sums: readonly Sum[], recorded: Recorded): BookSums {
  const accounts: readonly (readonly [string, Uuid])[] = [['wallets', WALLETS], ...Object.entries(SYSTEM)]
  const balances: Record<string, bigint> = {}
  for (const [name, account] of accounts) balances[name] = balanceOf(sums, account)
  return {
    balances,
    walletsDifference: recorded.wallets - (balances['wallets'] ?? 0n),
    escrowDifference: (balances['escrow'] ?? 0n) - recorded.escrow,
    payoutsDifference: (balances['payouts'] ?? 0n) - recorded.payouts,
  }
}

/** Rows may be altered: what their kind says need not be one. */
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

export function faultsOfSums(sums: readonly Sum[], batch: BookSums): Fault[] {
  const differences: readonly [Uuid, (typeof SUM_FAULTS)[number], bigint][] = [
    [WALLETS, 'sum_differs', batch.walletsDifference],
    [SYSTEM.escrow, 'escrow_differs', batch.escrowDifference],
    [SYSTEM.payouts, 'payouts_differ', batch.payoutsDifference],
  ]
  const faults: Fault[] = differences.flatMap(([subject, kind, paise]) =>
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
