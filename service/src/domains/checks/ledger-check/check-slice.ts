import type { Database, Queryable } from '../../../db/database.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { SYSTEM } from '../../../ledger/index.ts'
import type { IntegrityContext } from './context.ts'
import { ROW_FAULT } from './prove-rows.ts'
import { proveSlice, type Slice, type SliceLimits } from './prove-slice.ts'
import { claimSlice, endRound, healFaults, healUnseen, keepFaults, keepPosition } from './store.ts'
import { type BookSums, faultsOfSums, SUM_FAULTS, sumBook } from './sums.ts'
import { isFarBehind, selectSums, sumWallets, WALLETS } from './sums-store.ts'
import { SYSTEM_FAULTS } from './system-proof.ts'
import { type Fault, WALLET_FAULTS } from './wallet-proof.ts'

const MINUTE_MS = 60_000
const LEASE_MS = MINUTE_MS
/** From the beginning of one round to that of the next, when it takes no longer. */
const ROUND_MS = 15 * MINUTE_MS
const LIMITS: SliceLimits = { rows: 1_000, wallets: 500 }
/** More than these wait to be folded only where folding has just begun; summing them would take long. */
const UNFOLDED = 500_000

/**
 * Checks the next slice of the book, or of the rows that decide about money, and keeps what it finds. It always answers 0: the slice after it comes when the job
 * has slept, so that the check never keeps the processor busy, nor whoever moves the sandbox clock waiting.
 */
export async function checkNextSlice(
  context: IntegrityContext,
  now: Date,
  limits: SliceLimits = LIMITS,
): Promise<0> {
  const { database } = context
  const token = newUuid(now)
  const until = new Date(now.getTime() + LEASE_MS)
  const dueBefore = new Date(now.getTime() - ROUND_MS)
  const position = await claimSlice(database, { token, now, until, dueBefore })
  if (position === null) return 0
  const seen = await inSnapshot(database, async tx => {
    const slice = await proveSlice(tx, context, position, limits)
    const sums = slice.isAtEnd && !(await isFarBehind(tx, UNFOLDED)) ? await checkSums(tx, context) : null
    return { slice, sums }
  })
  const fresh = await database.inTransaction(tx => keep(tx, { ...seen, token, now }))
  for (const fault of fresh) context.logger.error({ fault }, messageOf(fault))
  return 0
}

function messageOf({ kind }: Fault): string {
  return kind === ROW_FAULT
    ? 'altered row: found by the ledger check; somebody else wrote to the database'
    : 'ledger check found a fault'
}

function inSnapshot<T>(database: Database, read: (tx: Queryable) => Promise<T>): Promise<T> {
  return database.inTransaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    return read(tx)
  })
}

interface CheckedSums {
  readonly batch: BookSums
  readonly faults: readonly Fault[]
}

/** The sums of the whole book, and of what must stand in its records. */
async function checkSums(tx: Queryable, { holdings }: IntegrityContext): Promise<CheckedSums> {
  const sums = await selectSums(tx)
  const batch = sumBook(sums, {
    wallets: await sumWallets(tx),
    escrow: await holdings.escrow(tx),
    payouts: await holdings.payouts(tx),
  })
  return { batch, faults: faultsOfSums(sums, batch) }
}

interface Seen {
  readonly slice: Slice
  readonly sums: CheckedSums | null
  readonly token: string
  readonly now: Date
}

/** Keeps the position and the faults in one commit; answers those that nobody knew of. */
async function keep(tx: Queryable, { slice, sums, token, now }: Seen): Promise<Fault[]> {
  // The lease was lost: whoever has it now sees the same.
  if (!(await keepPosition(tx, token, slice.position))) return []
  const fresh = await keepFaults(tx, [...slice.faults, ...(sums?.faults ?? [])], now)
  await healFaults(tx, slice.checked, [...WALLET_FAULTS, ...SYSTEM_FAULTS], now)
  if (sums !== null) {
    await healUnseen(tx, ROW_FAULT, now)
    await healFaults(tx, [WALLETS, SYSTEM.escrow, SYSTEM.payouts], SUM_FAULTS, now)
    await endRound(tx, sums.batch, now)
  }
  return fresh
}
