import { sameHash, type Vault } from '../kernel/secrets.ts'
import type { Queryable } from './database.ts'

/** The mode and the key with which a process opens a database. */
export interface Opening {
  readonly mode: 'sandbox' | 'live'
  readonly vault: Vault
}

/** A database that is refused; the message is one line for the operator. */
export class ForeignDatabase extends Error {}

interface Mark {
  readonly mode: string
  readonly key_check: Buffer
  readonly row_mac: Buffer
}

/**
 * Refuses a database that belongs to the other mode or to another master key. It runs before the migration, so that a
 * refused start changes nothing. A database without a mark is new, or of a release without marks.
 */
export async function refuseForeignDatabase(db: Queryable, opening: Opening): Promise<void> {
  if (!(await hasTable(db, 'database_mark'))) return refuseOtherTraces(db, opening)
  const [mark] = await db.query<Mark>('select mode, key_check, row_mac from database_mark', [])
  if (mark === undefined) return refuseOtherTraces(db, opening)
  if (!sameHash(mark.key_check, keyCheck(opening.vault)))
    throw new ForeignDatabase('MASTER_KEY is not the one that this database was made with')
  if (!sameHash(mark.row_mac, markMac(opening.vault, mark.mode)))
    throw new ForeignDatabase('The row of database_mark was changed by hand; put it back as it was')
  if (mark.mode !== opening.mode) throw otherMode(mark.mode, opening.mode)
}

/** Marks a database at its first start. Of two nodes that start at once in two modes, one is refused. */
export async function markDatabase(db: Queryable, opening: Opening, now: Date): Promise<void> {
  await db.query(
    `insert into database_mark (mode, key_check, row_mac, marked_at) values ($1, $2, $3, $4) on conflict do nothing`,
    [opening.mode, keyCheck(opening.vault), markMac(opening.vault, opening.mode), now],
  )
  await refuseForeignDatabase(db, opening)
}

function keyCheck(vault: Vault): Buffer {
  return vault.blindIndex('', 'database_mark.key_check')
}

function markMac(vault: Vault, mode: string): Buffer {
  return vault.mac(`database mark ${mode}`)
}

/** The mode of a database of a release without marks: once money has moved, the sandbox's tables show it. */
async function refuseOtherTraces(db: Queryable, { mode }: Opening): Promise<void> {
  if (!(await hasTable(db, 'sandbox_orders')) || !(await hasTable(db, 'transfers'))) return
  const [traces] = await db.query<{ simulated: boolean; moved: boolean }>(
    `select exists (select from sandbox_orders) or exists (select from sandbox_clock)
         or exists (select from sandbox_otps) as simulated,
       exists (select from transfers) as moved`,
    [],
  )
  if (traces?.simulated === true && mode === 'live') throw otherMode('sandbox', mode)
  if (traces?.simulated === false && traces.moved && mode === 'sandbox') throw otherMode('live', mode)
}

function otherMode(usedIn: string, mode: Opening['mode']): ForeignDatabase {
  return new ForeignDatabase(
    `This database was used in ${usedIn} mode and MODE is ${mode}: give each mode a database of its own`,
  )
}

async function hasTable(db: Queryable, name: string): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>('select to_regclass($1) is not null as found', [name])
  return row?.found ?? false
}
