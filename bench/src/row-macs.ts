import { TIERS } from '@batua/contract'
import type { Database } from '../../service/src/db/database.ts'
import { type CoveredTable, writeMacs } from '../../service/src/db/row-mac.ts'
import { TIER_ROWS } from '../../service/src/domains/limits/covered-tables.ts'
import type { Uuid } from '../../service/src/kernel/ids.ts'
import { openVault } from '../../service/src/kernel/secrets.ts'

/** The master key of the nodes that a measurement starts in its own process. */
export const BENCH_VAULT = openVault(Buffer.alloc(32, 7))

const ROWS_AT_ONCE = 5_000

/** Adds the MACs that the service would have written to rows that a measurement inserted by SQL. */
export async function writeMacsOfMany(
  database: Database,
  table: CoveredTable,
  ids: readonly Uuid[],
): Promise<void> {
  for (let done = 0; done < ids.length; done += ROWS_AT_ONCE) {
    await writeMacs(database, BENCH_VAULT, table, ids.slice(done, done + ROWS_AT_ONCE))
  }
}

/** After a change of tiers, and after the migrations, which write the tiers without MACs. */
export async function writeTierMacs(database: Database): Promise<void> {
  await writeMacs(database, BENCH_VAULT, TIER_ROWS, TIERS)
}
