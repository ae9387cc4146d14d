import type { TransactionStatus } from '@batua/contract'
import type { Database, Queryable } from '../../../../db/database.ts'
import { firstUuidAt, LAST_UUID, type Uuid } from '../../../../kernel/ids.ts'
import type { Paise } from '../../../../kernel/money.ts'
import type { Vault } from '../../../../kernel/secrets.ts'
import { slicesOf } from '../../../../kernel/slices.ts'
import { isGenuine, lockAccounts, type StoredTransfer, transferColumns } from '../../../../ledger/index.ts'
import { OUTCOMES } from '../set-aside-sql.ts'

/** One side of a transfer: a change of a wallet's balance, with the facts of the transaction that it belongs to. */
export interface Movement extends StoredTransfer {
  readonly wallet: Uuid
  readonly side: 'debit' | 'credit'
  /** Of a hold that was released: the agent that was paid. */
  readonly releasedTo: Uuid | null
  /** How a hold ended; null while it waits, and for all other kinds. */
  readonly endOfHold: 'escrow_release' | 'escrow_refund' | null
  /** Of an authorization: the newest transfer out of it; null while nothing was captured. */
  readonly newestOut: 'capture' | 'authorization_return' | 'authorization_fee' | null
  /** Whether all of it went back. */
  readonly isAllBack: boolean | null
  /** Of the end of a hold or an authorization, and of a capture: the payer that set the money aside. */
  readonly holder: Uuid | null
  readonly heldFor: Uuid | null
  readonly holdReference: string | null
  readonly holdNote: string | null
  /** Of a funding and its chargeback. */
  readonly fundingStatus: TransactionStatus | null
  readonly fundedAt: Date | null
  /** Of a payout and its return. */
  readonly payoutKind: 'withdraw' | 'settlement' | null
  readonly payoutStatus: TransactionStatus | null
  readonly utr: string | null
  /** Why a funding or payout failed or was returned. */
  readonly reasonOfFailure: string | null
}

/** A wallet at one moment: the number of its movements so far, and the balance after the last of them. */
export interface WalletState {
  readonly sequence: bigint
  readonly balancePaise: Paise
  /** When the last of them was posted; null: there was none. */
  readonly at: Date | null
}

/** Wallets of one statement of SQL, so that it occupies its connection for a moment only. */
const WALLETS_AT_ONCE = 250

/**
 * The sides of transfers. A transfer's id begins with the time of its posting, so a range of ids is a span of time. Only
 * a funding's id was made before, when it was requested: fundings have an index by the time of their posting.
 */
const SIDES = {
  debit: { from: 't.debit_account = w.wallet', posted: 't.id', and: '' },
  credit: { from: 't.credit_account = w.wallet', posted: 't.id', and: `and t.kind <> 'fund'` },
  fund: { from: 't.credit_account = w.wallet', posted: 't.posted_at', and: `and t.kind = 'fund'` },
} as const

/** The first id of a moment, in SQL; as `firstUuidAt`. */
const idAt = (moment: string) =>
  `(lpad(to_hex((extract(epoch from ${moment}) * 1000)::int8), 12, '0') || '70008000000000000000')::uuid`

type Side = keyof typeof SIDES

const sequenceOf = (side: Side) => (side === 'debit' ? 't.debit_sequence' : 't.credit_sequence')
const balanceOf = (side: Side) => (side === 'debit' ? 't.debit_balance_paise' : 't.credit_balance_paise')

/** When the last movement of a side was posted before the id $2 and the moment $3. */
const newestOf = (side: Side) => `
  (select t.posted_at from transfers t
   where ${SIDES[side].from} ${SIDES[side].and} and ${SIDES[side].posted} < ${side === 'fund' ? '$3' : '$2'}
   order by ${SIDES[side].posted} desc limit 1)`

/** The last movement of a side at that moment. Several may share one, and their ids need not be in order. */
const lastOf = (side: Side) => `
  (select ${sequenceOf(side)} as sequence, ${balanceOf(side)} as balance from transfers t
   where ${SIDES[side].from} ${SIDES[side].and} and ${
     side === 'fund' ? 't.posted_at = newest.at' : `t.id >= ${idAt('newest.at')} and t.id < $2`
   } order by 1 desc limit 1)`

export const SELECT_STATES = `
  select w.wallet, newest.at, last.sequence, last.balance as "balancePaise"
  from unnest($1::uuid[]) as w (wallet)
  cross join lateral (
    select max(posted_at) as at
    from (${newestOf('debit')} union all ${newestOf('credit')} union all ${newestOf('fund')}) m
  ) newest
  cross join lateral (
    select sequence, balance
    from (${lastOf('debit')} union all ${lastOf('credit')} union all ${lastOf('fund')}) l
    order by sequence desc limit 1
  ) last
  where newest.at is not null`

/** The states of wallets before a moment; a wallet without a movement before it is not among them. */
export async function selectStates(
  db: Queryable,
  wallets: readonly Uuid[],
  before: Date | null,
): Promise<Map<Uuid, WalletState>> {
  const states = new Map<Uuid, WalletState>()
  const [id, moment] = before === null ? [LAST_UUID, 'infinity'] : [firstUuidAt(before), before]
  for (const some of slicesOf(wallets, WALLETS_AT_ONCE)) {
    const rows = await db.query<WalletState & { wallet: Uuid }>(SELECT_STATES, [some, id, moment])
    for (const { wallet, ...state } of rows) states.set(wallet, state)
  }
  return states
}

const movementsOf = (side: Side) => `
  (select '${side === 'debit' ? 'debit' : 'credit'}' as side, t.* from transfers t
   where ${SIDES[side].from} ${SIDES[side].and} and ${
     side === 'fund' ? 't.posted_at >= $4 and t.posted_at < $5' : 't.id >= $2 and t.id < $3'
   } order by ${SIDES[side].posted} limit $6)`

/** The details are looked up only for the kinds that have them, each by an index. */
export const SELECT_MOVEMENTS = `
  select t.wallet, t.side, ${transferColumns('t')},
    newest.kind as "newestOut",
    newest.amount_paise + newest.fee_paise = t.amount_paise + t.fee_paise as "isAllBack", ended.kind as "endOfHold", ended.credit_account as "releasedTo",
    hold.debit_account as holder, hold.linked_id as "heldFor",
    hold.reference as "holdReference", hold.note as "holdNote",
    funding.status as "fundingStatus", funding.created_at as "fundedAt",
    payout.kind as "payoutKind", payout.status as "payoutStatus", payout.utr,
    coalesce(funding.failure_reason, payout.reason) as "reasonOfFailure"
  from (
    select w.wallet, s.* from unnest($1::uuid[]) as w (wallet)
    cross join lateral (${movementsOf('debit')} union all ${movementsOf('credit')} union all ${movementsOf('fund')}) s
    order by s.posted_at limit $6
  ) t
  ${OUTCOMES}
  left join lateral (
    select h.debit_account, h.linked_id, h.reference, h.note from transfers h
    where t.kind in ('escrow_release', 'escrow_refund', 'capture', 'authorization_return') and h.id = t.linked_id limit 1
  ) hold on true
  left join lateral (
    select f.status, f.created_at, f.failure_reason from fundings f
    where t.kind in ('fund', 'chargeback') and f.agent_id = t.wallet
      and f.id = case t.kind when 'fund' then t.id else t.linked_id end
    limit 1
  ) funding on true
  left join lateral (
    select p.kind, p.status, p.utr, p.reason from payouts p
    where t.kind in ('payout', 'payout_failed', 'payout_reversed') and p.agent_id = t.wallet
      and p.id = case t.kind when 'payout' then t.id else t.linked_id end
    limit 1
  ) payout on true
  order by t.posted_at`

export interface MovementsContext {
  readonly database: Database
  readonly vault: Vault
}

/** A span of time and a number of rows. */
export interface Slice {
  readonly from: Date
  /** No longer in it. */
  readonly until: Date
  readonly most: number
}

/**
 * The first movements of these wallets in a span, at most `most`, in the order of their times. A transfer whose MAC does
 * not match is reported and refused.
 */
export async function selectMovements(
  { database, vault }: MovementsContext,
  wallets: readonly Uuid[],
  { from, until, most }: Slice,
): Promise<Movement[]> {
  let movements: Movement[] = []
  let end = until
  for (const some of slicesOf(wallets, WALLETS_AT_ONCE)) {
    const ids = [firstUuidAt(from), firstUuidAt(end)]
    const rows = await database.query<Movement>(SELECT_MOVEMENTS, [some, ...ids, from, end, most])
    for (const row of rows) requireGenuine(vault, row)
    movements = [...movements, ...rows]
      .toSorted((left, right) => left.postedAt.getTime() - right.postedAt.getTime())
      .slice(0, most)
    const last = movements.at(-1)
    // What is later than the last of these is not asked of the other wallets.
    if (movements.length === most && last !== undefined) end = new Date(last.postedAt.getTime() + 1)
  }
  return movements
}

function requireGenuine(vault: Vault, movement: Movement): void {
  if (isGenuine(vault, movement)) return
  const why = 'its MAC does not match'
  vault.onAltered('transfers', movement.id, why)
  throw new Error(`transfer ${movement.id} of a statement was altered: ${why}`)
}

/**
 * Waits until every transfer that is being posted to these wallets is committed or not. One that is posted afterwards has
 * a later time.
 */
export async function awaitPosting(database: Database, wallets: readonly Uuid[]): Promise<void> {
  for (const some of slicesOf(wallets, WALLETS_AT_ONCE)) {
    await database.inTransaction(tx => lockAccounts(tx, some), { turns: some })
  }
}
