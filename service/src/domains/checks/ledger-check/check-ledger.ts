import type { Queryable } from '../../../db/database.ts'
import {
  dueEvery,
  type Finding,
  readScan,
  roundDue,
  type ScanStatus,
  type Slice,
  scanAtOnce,
  scanSlice,
} from '../../../operations/scan.ts'
import { readScanRound, type ScanRound } from '../../../operations/scan-round.ts'
import type { LedgerCheckContext } from '../context.ts'
import { ROW_FAULT } from './prove-rows.ts'
import { BEGINNING, type Position, proveSlice, type SliceLimits } from './prove-slice.ts'
import { isFarBehind, selectSums, sumWallets } from './store.ts'
import { faultsOfSums, type LedgerSums, sumLedger } from './sums.ts'

const LEDGER_CHECK = 'ledger check'

/** The result of a complete round. */
export interface CheckedLedger {
  readonly wallets: number
  readonly sums: LedgerSums
}

const MINUTE_MS = 60_000
const LEASE_MS = MINUTE_MS
/** The interval between the beginnings of rounds, unless a round takes longer. */
const ROUND_MS = 15 * MINUTE_MS
/** The `due` of the job. */
export const LEDGER_ROUND_DUE = roundDue(LEDGER_CHECK, ROUND_MS)
const LIMITS: SliceLimits = { rows: 1_000, wallets: 500 }
/**
 * More transfers than these are missing in the stored sums only just after they were begun; summing them takes long.
 */
const UNFOLDED = 500_000

/**
 * Checks the next slice of the ledger, or of the rows that decide about money. Always returns 0, so that its job sleeps
 * before the following slice, and a request that moves the sandbox clock does not wait for a round.
 */
export async function checkNextSlice(context: LedgerCheckContext, limits: SliceLimits = LIMITS): Promise<0> {
  await scanSlice(context, {
    name: LEDGER_CHECK,
    leaseMs: LEASE_MS,
    dueSince: dueEvery(ROUND_MS, context.clock.now()),
    slice: (position: Position | null) => checkSlice(context, position ?? BEGINNING, limits),
    messageOf: ({ kind }) =>
      kind === ROW_FAULT
        ? 'altered row found by the ledger check: not written by this service'
        : 'ledger check found a fault',
  })
  return 0
}

/** Checks the whole ledger and all rows with MACs at once, on a database that no node uses. Nothing is saved. */
export async function checkLedgerAtOnce(context: LedgerCheckContext): Promise<readonly Finding[]> {
  const { findings } = await scanAtOnce((position: Position | null) =>
    checkSlice(context, position ?? BEGINNING, LIMITS, { mostUnfolded: Number.MAX_SAFE_INTEGER }),
  )
  return findings
}

/** Proves a slice in one snapshot, and after the last one the sums of the whole ledger. */
function checkSlice(
  context: LedgerCheckContext,
  position: Position,
  limits: SliceLimits,
  { mostUnfolded } = { mostUnfolded: UNFOLDED },
): Promise<Slice<Position>> {
  return context.database.inTransaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const slice = await proveSlice(tx, context, position, limits)
    // A round does not end while its sums would take too long: the next slice tries again.
    if (!slice.isAtEnd || (await isFarBehind(tx, mostUnfolded))) {
      return { next: slice.position, findings: slice.faults }
    }
    const { sums, faults } = await checkSums(tx, context)
    const result: CheckedLedger = { wallets: slice.position.walletsChecked, sums }
    return { next: null, findings: [...slice.faults, ...faults], result }
  })
}

/** The sums of the whole ledger, and their differences from the records. */
async function checkSums(
  tx: Queryable,
  { holdings }: LedgerCheckContext,
): Promise<{ readonly sums: LedgerSums; readonly faults: readonly Finding[] }> {
  const transferred = await selectSums(tx)
  const sums = sumLedger(transferred, {
    wallets: await sumWallets(tx),
    escrow: await holdings.escrow(tx),
    authorizations: await holdings.authorizations(tx),
    payouts: await holdings.payouts(tx),
  })
  return { sums, faults: faultsOfSums(transferred, sums) }
}

export function readLedgerCheck(db: Queryable): Promise<ScanStatus<Position, CheckedLedger>> {
  return readScan(db, LEDGER_CHECK)
}

export function readLedgerCheckRound(db: Queryable, findings: number): Promise<ScanRound> {
  return readScanRound(db, LEDGER_CHECK, findings)
}
