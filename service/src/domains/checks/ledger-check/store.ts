import { textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { FIRST_UUID, type Uuid } from '../../../kernel/ids.ts'
import { type Position, pieceOf, pieceText } from './position.ts'
import type { BookSums } from './sums.ts'
import type { Fault } from './wallet-proof.ts'

/** Takes the next slice; null while another node has it, or no round is due. A round begins with its first slice. */
export async function claimSlice(
  db: Queryable,
  claim: { readonly token: Uuid; readonly now: Date; readonly until: Date; readonly dueBefore: Date },
): Promise<Position | null> {
  const [row] = await db.query<{
    doneThrough: Uuid
    piece: string | null
    wallets: bigint
    table: string | null
    after: string | null
  }>(
    `update book_check set leased_by = $1, leased_until = $3, round_started_at = coalesce(round_started_at, $2)
     where (leased_until is null or leased_until <= $2)
       and (round_started_at is not null or last_started_at is null or last_started_at <= $4)
     returning done_through as "doneThrough", piece, wallets_checked as wallets, rows_table as table,
       rows_after as after`,
    [claim.token, claim.now, claim.until, claim.dueBefore],
  )
  if (row === undefined) return null
  const { doneThrough, piece, wallets, table, after } = row
  const rows = table === null || after === null ? null : { table, after }
  return { doneThrough, piece: pieceOf(piece), walletsChecked: Number(wallets), rows }
}

/** Lets the lease go at the position that was reached; false when somebody else has it by now. */
export async function keepPosition(tx: Queryable, token: Uuid, position: Position): Promise<boolean> {
  const { doneThrough, piece, walletsChecked, rows } = position
  const kept = await tx.query(
    `update book_check set leased_by = null, leased_until = null, done_through = $2, piece = $3, wallets_checked = $4,
       rows_table = $5, rows_after = $6
     where leased_by = $1 returning only_row`,
    [token, doneThrough, pieceText(piece), walletsChecked, rows?.table ?? null, rows?.after ?? null],
  )
  return kept.length === 1
}

export async function endRound(tx: Queryable, sums: BookSums, now: Date): Promise<void> {
  await tx.query(
    `update book_check set last_started_at = round_started_at, round_started_at = null, checked_at = $1,
       last_wallets = wallets_checked, wallets_checked = 0, done_through = $2, piece = null, rows_table = null,
       rows_after = null, sums = $3`,
    [
      now,
      FIRST_UUID,
      JSON.stringify(sums, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    ],
  )
}

/** So many tell that the book is in ruins; more would only fill the table and the service's own log. */
const MAX_OPEN = 1_000

/** Keeps what was found; answers what was not known to be wrong. */
export async function keepFaults(tx: Queryable, faults: readonly Fault[], now: Date): Promise<Fault[]> {
  if (faults.length === 0) return []
  const open = await tx.query<Pick<Fault, 'subject' | 'kind'>>(
    `select subject, kind from book_faults where healed_at is null`,
    [],
  )
  const known = new Set(open.map(nameOf))
  const fresh = faults
    .filter(fault => !known.has(nameOf(fault)))
    .slice(0, Math.max(0, MAX_OPEN - open.length))
  const kept = [...faults.filter(fault => known.has(nameOf(fault))), ...fresh]
  await tx.query(
    `insert into book_faults as f (subject, kind, detail, found_at, seen_at)
     select v.subject, v.kind, v.detail, $4, $4 from unnest($1::text[], $2::text[], $3::text[]) v(subject, kind, detail)
     on conflict (subject, kind) do update set detail = excluded.detail, seen_at = excluded.seen_at, healed_at = null,
       found_at = case when f.healed_at is null then f.found_at else excluded.found_at end`,
    [
      textArrayLiteral(kept.map(fault => fault.subject)),
      textArrayLiteral(kept.map(fault => fault.kind)),
      textArrayLiteral(kept.map(fault => fault.detail)),
      now,
    ],
  )
  return fresh
}

function nameOf({ subject, kind }: Pick<Fault, 'subject' | 'kind'>): string {
  return `${subject} ${kind}`
}

/** What was wrong with these, in these ways, and was not seen again at this moment, is right. */
export async function healFaults(
  tx: Queryable,
  subjects: readonly Uuid[],
  kinds: readonly string[],
  now: Date,
): Promise<void> {
  if (subjects.length === 0) return
  await tx.query(
    `update book_faults set healed_at = $3
     where healed_at is null and subject = any($1::text[]) and kind = any($2::text[]) and seen_at < $3`,
    [textArrayLiteral(subjects), textArrayLiteral(kinds), now],
  )
}

/** At the end of a round: what was wrong in this way and was not seen in it is right, or is gone. */
export async function healUnseen(tx: Queryable, kind: string, now: Date): Promise<void> {
  await tx.query(
    `update book_faults f set healed_at = $2 from book_check c
     where f.healed_at is null and f.kind = $1 and f.seen_at < c.round_started_at`,
    [kind, now],
  )
}

/** When the book was last checked as a whole and what is wrong with it; nulls before the first time. */
export interface BookCheck {
  readonly checkedAt: Date | null
  readonly balanced: boolean | null
}

export async function readBookCheck(db: Queryable): Promise<BookCheck> {
  const { checkedAt, faults } = await readStatus(db)
  if (faults > 0) return { checkedAt, balanced: false }
  return { checkedAt, balanced: checkedAt === null ? null : true }
}

/** What the whole book came to at the last round; null before the first. */
export async function readBookSums(db: Queryable): Promise<KeptSums | null> {
  return (await readStatus(db)).sums
}

/** What an operator watches. */
export interface CheckStatus {
  readonly checkedAt: Date | null
  readonly faults: number
  /** Wallets of the round that is under way, and of the last whole one. */
  readonly walletsChecked: number
  readonly lastWallets: number
  /** Figures of `BookSums` as texts; null before the first round. */
  readonly sums: KeptSums | null
}

/** Amounts in paise, as texts. */
export interface KeptSums {
  readonly balances: Readonly<Record<string, string>>
  readonly walletsDifference: string
  readonly escrowDifference: string
  readonly payoutsDifference: string
}

export async function readStatus(db: Queryable): Promise<CheckStatus> {
  const [row] = await db.query<CheckStatus>(
    `select checked_at as "checkedAt", wallets_checked::float8 as "walletsChecked", last_wallets::float8 as "lastWallets",
       sums, (select count(*) from book_faults where healed_at is null)::float8 as faults
     from book_check`,
    [],
  )
  return row ?? { checkedAt: null, faults: 0, walletsChecked: 0, lastWallets: 0, sums: null }
}
