import type { Queryable } from '../db/database.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { AccountProofs } from './account-proof.ts'
import type { Account } from './accounts.ts'
import type { Entry } from './command.ts'
import { LedgerBatch } from './ledger-batch.ts'
import { accountsOf, collect, type Decided, decideAll, type GroupedReads, writeBatch } from './run-batch.ts'
import { copyOf, requireUnchanged, updateUnchanged } from './seen-accounts.ts'

/** A batch that was decided before anything was read, on accounts as this process saw them last. */
export interface Optimistic extends Decided {
  /** The accounts as they were seen, in the order of their ids. */
  readonly seen: readonly Account[]
  /** Facts of which none was expected. */
  readonly absent: readonly GroupedReads[]
}

/**
 * Decides a batch in memory if everything that it needs is there: its accounts, the present versions of its agents, and
 * facts of which none is expected. Null: it must be read under its locks.
 */
export function decideOptimistically(
  commands: readonly Entry[],
  proofs: AccountProofs,
  nowMs: number,
): Optimistic | null {
  const absent = collect(commands.flatMap(entry => entry.command.reads))
  if (absent.some(([reader]) => reader.requireNone === undefined)) return null
  const seen = proofs.recall(accountsOf(commands).toSorted())
  if (seen === null) return null
  const batch = new LedgerBatch(new Map(seen.map(account => [account.id, copyOf(account)])), nowMs)
  const phases = Math.max(0, ...commands.map(entry => entry.command.phases?.length ?? 0))
  for (let phase = 0; phase < phases; phase++) {
    const needed = commands.map(entry => entry.command.phases?.[phase]?.(batch).length ?? 0)
    if (needed.some(reads => reads > 0)) return null
  }
  const decided = decideAll(commands, batch)
  return decided.outcomes.some(outcome => 'failed' in outcome) ? null : { ...decided, seen, absent }
}

/**
 * Writes the batch and commits, in one round trip, if everything is as it was decided on; otherwise the transaction
 * fails (`haveFactsChanged`). The locks of the update come first, so the facts are proved under them. Of a batch that
 * changes nothing it proves the accounts as of one moment. Returns the server's time.
 */
export async function writeOptimistically(
  tx: Queryable,
  { batch, seen, absent }: Optimistic,
  { vault, deadline }: { readonly vault: Vault; readonly deadline: Date },
): Promise<Date | undefined> {
  if (batch.leftToWrite() === 0 && batch.changedAccounts().length === 0 && absent.length === 0) {
    return requireUnchanged(tx, seen)
  }
  const accounts = seen.map(({ id }) => batch.accounts.get(id) as Account)
  // Those that a refused command has named are proved as well.
  for (const account of accounts) account.changed = true
  const begun = tx.query('begin')
  const updated = updateUnchanged(tx, accounts, seen, deadline)
  const proved = absent.map(async ([reader, keys]) => reader.requireNone?.(tx, keys, batch.nowMs))
  await writeBatch(tx, batch, vault, [begun, updated, ...proved])
  return updated
}

export type OptimisticMode = 'adaptive' | 'always' | 'never'

/** Decides when batches are decided optimistically: after each lost race twice as many batches are read first. */
export interface Optimism {
  isDue(): boolean
  won(): void
  lost(): void
}

const MOST_SKIPPED = 512

export function openOptimism(mode: OptimisticMode): Optimism {
  let skips = 0
  let left = 0
  return {
    isDue() {
      if (mode !== 'adaptive') return mode === 'always'
      if (left === 0) return true
      left -= 1
      return false
    },
    won() {
      skips = Math.floor(skips / 2)
    },
    lost() {
      skips = Math.min(Math.max(1, skips * 2), MOST_SKIPPED)
      left = skips
    },
  }
}

/**
 * The longest time between the moment at which a batch was decided and the moment at which its transaction has its id
 * and its locks. See `foldTransfers`.
 */
export const MOST_DELAY_MS = 10_000

/** A reading of the server's clock. The estimate is never later than the server's own time, unless a clock is set. */
export interface ServerClock {
  /** When a transaction that is sent now must have its locks, by the server's clock. Null: there is no recent reading. */
  deadline(): Date | null
  read(at: Date): void
}

/** Two clocks that run at different rates are about half a second apart after it. */
const RECENT_MS = 600_000

export function openServerClock(): ServerClock {
  let reading: { readonly at: Date; readonly monotonicMs: number } | null = null
  return {
    deadline() {
      if (reading === null) return null
      const sinceMs = performance.now() - reading.monotonicMs
      return sinceMs > RECENT_MS ? null : new Date(reading.at.getTime() + sinceMs + MOST_DELAY_MS)
    },
    read(at) {
      reading = { at, monotonicMs: performance.now() }
    },
  }
}
