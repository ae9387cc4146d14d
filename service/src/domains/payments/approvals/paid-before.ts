import type { Queryable } from '../../../db/database.ts'
import { assert } from '../../../kernel/assert.ts'
import { boundedMap } from '../../../kernel/bounded-map.ts'
import { firstUuidAt, LAST_UUID, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../../kernel/money.ts'

/** What a payer has paid one payee: payments, captures and released holds, without fees. */
export interface PaidBefore {
  readonly count: number
  readonly paise: Paise
}

export interface PaidBeforeCounts {
  of(payer: Uuid, payee: Uuid): Promise<PaidBefore>
}

/** What a payer has paid each payee, counted up to a transfer of its wallet. */
interface Counted {
  readonly payees: ReadonlyMap<Uuid, PaidBefore>
  readonly throughSequence: bigint
  readonly throughMs: number
}

const NOTHING: PaidBefore = { count: 0, paise: ZERO_PAISE }

/** Bounds what one statement reads, so that a long history holds no connection for long. */
const ROWS_AT_ONCE = 20_000

const MAX_PAYERS = 200
const MAX_PAYEES = 1_000

/**
 * What payers have paid their payees, for the owners who decide. No index has these sums, because it would slow down
 * every payment: a payer's payments are counted when its owner reads a request, and from then on this node counts only
 * newer ones.
 */
export function openPaidBefore(database: Queryable, rowsAtOnce = ROWS_AT_ONCE): PaidBeforeCounts {
  const known = boundedMap<Uuid, Counted>(MAX_PAYERS)

  async function count(payer: Uuid): Promise<Counted> {
    const counted = await addNewer({ database, rowsAtOnce }, payer, known.get(payer))
    if (counted.payees.size <= MAX_PAYEES) known.set(payer, counted)
    return counted
  }

  return {
    async of(payer: Uuid, payee: Uuid): Promise<PaidBefore> {
      const { payees } = await count(payer)
      const paid = sum(payees.get(payee) ?? NOTHING, await sumReleased(database, payer, payee))
      return sum(paid, await sumCaptured(database, payer, payee))
    },
  }
}

/** Adds the payments since the last count. */
async function addNewer(
  { database: db, rowsAtOnce }: { readonly database: Queryable; readonly rowsAtOnce: number },
  payer: Uuid,
  before: Counted | undefined,
): Promise<Counted> {
  const [account] = await db.query<{ sequence: bigint; lastMs: bigint }>(
    `select sequence, last_posted_ms as "lastMs" from accounts where id = $1`,
    [payer],
  )
  assert(account !== undefined, 'an agent that requests approval has a wallet')
  const { payees: known = [], throughMs = 0, throughSequence = 0n } = before ?? {}
  const payees = new Map(known)
  // Ids of one millisecond have no order, so its payments are read again, and left out by their sequence.
  let from: Uuid | null = firstUuidAt(new Date(throughMs))
  while (from !== null) {
    const behind: Uuid | null = await placeBehind(db, { payer, from, rows: rowsAtOnce })
    const span = { from, to: behind ?? LAST_UUID, after: throughSequence, through: account.sequence }
    for (const { payee, count, paise } of await sumPaid(db, payer, span)) {
      payees.set(payee, sum(payees.get(payee) ?? NOTHING, { count, paise }))
    }
    from = behind
  }
  return { payees, throughSequence: account.sequence, throughMs: Number(account.lastMs) }
}

/** The id behind so many of a payer's transfers; null: there are no more. */
async function placeBehind(
  db: Queryable,
  { payer, from, rows }: { readonly payer: Uuid; readonly from: Uuid; readonly rows: number },
): Promise<Uuid | null> {
  const [row] = await db.query<{ id: Uuid }>(
    `select id from transfers where debit_account = $1 and id >= $2 order by id offset $3 limit 1`,
    [payer, from, rows],
  )
  return row?.id ?? null
}

interface Span {
  readonly from: Uuid
  readonly to: Uuid
  readonly after: bigint
  readonly through: bigint
}

function sumPaid(
  db: Queryable,
  payer: Uuid,
  { from, to, after, through }: Span,
): Promise<(PaidBefore & { readonly payee: Uuid })[]> {
  return db.query(
    `select credit_account as payee, count(*)::int4 as count, sum(amount_paise)::int8 as paise from transfers
     where debit_account = $1 and id >= $2 and id < $3 and kind = 'payment' and debit_sequence > $4
       and debit_sequence <= $5 group by credit_account`,
    [payer, from, to, after, through],
  )
}

async function sumReleased(db: Queryable, payer: Uuid, payee: Uuid): Promise<PaidBefore> {
  const [row] = await db.query<PaidBefore>(
    `select count(*)::int4 as count, coalesce(sum(amount_paise), 0)::int8 as paise from escrows
     where agent_id = $1 and status = 'released' and released_to = $2`,
    [payer, payee],
  )
  return row ?? NOTHING
}

async function sumCaptured(db: Queryable, payer: Uuid, payee: Uuid): Promise<PaidBefore> {
  const [row] = await db.query<PaidBefore>(
    `select count(*)::int4 as count, coalesce(sum(captured_paise), 0)::int8 as paise from authorizations
     where agent_id = $1 and payee = $2 and captured_paise > 0`,
    [payer, payee],
  )
  return row ?? NOTHING
}

function sum(left: PaidBefore, right: PaidBefore): PaidBefore {
  return { count: left.count + right.count, paise: (left.paise + right.paise) as Paise }
}
