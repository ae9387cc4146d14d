import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import { asService, type Database, type Queryable } from '../../db/database.ts'
import { gatherCalls, type KeyedRead, rowOf } from '../../db/gathered.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { refundedOf } from '../../ledger/index.ts'
import { type Fact, recordFacts } from '../../operations/facts.ts'
import type { NonceUse } from './decide-verification.ts'

/** A use of a payee's nonce, with the fact that records it. */
export interface WantedUse extends NonceUse {
  readonly payee: Uuid
  readonly nonce: string
  readonly at: Date
  readonly fact: Fact
}

type Services = { readonly database: Database; readonly vault: Vault }

const MOST_AT_ONCE = 100
const gatheredUses = new WeakMap<Database, ReturnType<typeof gatherUses>>()

/**
 * Consumes a payee's nonce. Returns false when it was consumed before, or when this very use was undone. Of any
 * number of concurrent calls exactly one gets true. Calls of one moment share a commit.
 */
export function takeUse(services: Services, wanted: WantedUse): Promise<boolean> {
  const { database } = services
  let gathered = gatheredUses.get(database)
  if (gathered === undefined) gatheredUses.set(database, (gathered = gatherUses(services)))
  return gathered.load(wanted)
}

function gatherUses(services: Services) {
  return gatherCalls<WantedUse, boolean>(MOST_AT_ONCE, all => asService(() => takeUses(services, all)))
}

const keyOf = ({ payee, nonce }: Pick<WantedUse, 'payee' | 'nonce'>) => `${payee} ${nonce}`

async function takeUses(services: Services, all: readonly WantedUse[]): Promise<(boolean | Error)[]> {
  const byKey = new Map<string, WantedUse>()
  for (const wanted of all) if (!byKey.has(keyOf(wanted))) byKey.set(keyOf(wanted), wanted)
  const taken = await takeFirstUses(services, [...byKey.values()])
  return Promise.all(
    all.map(async wanted => {
      if (byKey.get(keyOf(wanted)) === wanted && taken.has(keyOf(wanted))) return true
      return takeAgain(services, wanted).catch(asError)
    }),
  )
}

/** Consumes nonces that were never used before, each named once; returns the keys of those. */
function takeFirstUses(
  { database, vault }: Services,
  all: readonly WantedUse[],
): Promise<ReadonlySet<string>> {
  return database.inTransaction(async tx => {
    // In one order on every node, so that no two transactions wait for each other.
    const rows = await tx.query<Pick<WantedUse, 'payee' | 'nonce'>>(
      `insert into consumed_nonces (payee, nonce, payment_id, consume_id, consumed_at)
       select payee, nonce, payment_id, consume_id, consumed_at
       from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::timestamptz[])
         as used (payee, nonce, payment_id, consume_id, consumed_at)
       order by payee, nonce
       on conflict do nothing returning payee, nonce`,
      [
        arrayLiteral(all.map(({ payee }) => payee)),
        textArrayLiteral(all.map(({ nonce }) => nonce)),
        arrayLiteral(all.map(({ paymentId }) => paymentId)),
        textArrayLiteral(all.map(({ consumeId }) => consumeId)),
        arrayLiteral(all.map(({ at }) => at.toISOString())),
      ],
    )
    const taken = new Set(rows.map(keyOf))
    const facts = all.filter(wanted => taken.has(keyOf(wanted))).map(({ fact }) => fact)
    await recordFacts(tx, vault, latest(all), facts)
    return taken
  })
}

/** Consumes a nonce that was used before, if that use was undone and this one was not. */
function takeAgain({ database, vault }: Services, wanted: WantedUse): Promise<boolean> {
  return database.inTransaction(async tx => {
    const { payee, nonce, paymentId, consumeId, at, fact } = wanted
    const rows = await tx.query(
      `update consumed_nonces set payment_id = $3, consume_id = $4, consumed_at = $5
       where payee = $1 and nonce = $2 and consumed_at is null and array_position(undone_consume_ids, $4) is null
       returning nonce`,
      [payee, nonce, paymentId, consumeId, at],
    )
    if (rows.length === 0) return false
    await recordFacts(tx, vault, at, [fact])
    return true
  })
}

function latest(all: readonly WantedUse[]): Date {
  return new Date(Math.max(...all.map(({ at }) => at.getTime())))
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** The number of undone uses that are remembered for one nonce. No delayed request is behind so many others. */
const MAX_UNDONE = 16

/**
 * Restores the nonce of exactly this use; returns false when there is no such use. Of any number of concurrent calls
 * exactly one gets true. A use without a `consume_id` equals none.
 */
export async function undoUse(
  db: Queryable,
  payee: Uuid,
  nonce: string,
  { paymentId, consumeId }: NonceUse,
): Promise<boolean> {
  const rows = await db.query(
    `update consumed_nonces
     set consumed_at = null, undone_consume_ids = (array_prepend(consume_id, undone_consume_ids))[1:${MAX_UNDONE}]
     where payee = $1 and nonce = $2 and payment_id = $3 and consume_id = $4 and consumed_at is not null
     returning nonce`,
    [payee, nonce, paymentId, consumeId],
  )
  return rows.length === 1
}

export async function selectUse(db: Queryable, payee: Uuid, nonce: string): Promise<NonceUse | null> {
  const [row] = await db.query<NonceUse>(
    `select payment_id as "paymentId", consume_id as "consumeId" from consumed_nonces
     where payee = $1 and nonce = $2 and consumed_at is not null`,
    [payee, nonce],
  )
  return row ?? null
}

/** The amount of a payment that was refunded so far. */
const REFUNDED: KeyedRead<{ id: Uuid; refunded: Paise }> = {
  text: `select payment.id, ${refundedOf('payment.id')} as refunded from unnest($1::uuid[]) payment(id)`,
  keyOf: ({ id }) => id,
}

export async function selectRefunded(db: Queryable, paymentId: Uuid): Promise<Paise> {
  const row = await rowOf(db, REFUNDED, paymentId)
  return row?.refunded ?? (0n as Paise)
}
