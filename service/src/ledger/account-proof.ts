import { arrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import { type BoundedMap, boundedMap } from '../kernel/bounded-map.ts'
import { FIRST_UUID, type Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { Account } from './accounts.ts'
import { isGenuine, type StoredTransfer, transferColumns } from './stored-transfers.ts'

/** What an account was when it was last proven or committed by this process. */
interface KnownState {
  readonly sequence: bigint
  readonly balancePaise: bigint
  readonly lastPostedMs: number
}

/**
 * Proves accounts before anything is decided by them. An account is genuine if it is as its last transfer left it, whose
 * MAC covers the balance and the place in the history. What this process has seen before needs no statement.
 */
export interface AccountProofs {
  /**
   * Asks, with the statements that lock these accounts, for the last transfers of those that are not known. Call it after
   * the locking statement was issued; then `check` what that statement read.
   */
  ask(tx: Queryable, ids: readonly Uuid[]): Asked
  /** Remembers what was committed, before anybody else can lock the accounts. */
  committed(accounts: Iterable<Account>): void
}

export interface Asked {
  /** What was issued with the locking statement. */
  readonly statements: readonly Promise<unknown>[]
  /** The accounts that are not genuine, and why; null: all are. */
  check(accounts: ReadonlyMap<Uuid, Account>): Promise<Map<Uuid, string> | null>
}

type LastTransfers = Map<Uuid, StoredTransfer[]>

const DEFAULT_REMEMBERED = 50_000

export function openAccountProofs(vault: Vault, remembered = DEFAULT_REMEMBERED): AccountProofs {
  const known = boundedMap<Uuid, KnownState>(remembered)

  return {
    ask(tx, ids) {
      const states = ids.map(id => known.get(id))
      const unknown = ids.filter((_id, at) => states[at] === undefined)
      const read = unknown.length === 0 ? null : readLastTransfers(tx, unknown)
      return {
        statements: read === null ? [] : [read],
        async check(accounts) {
          const altered = new Map<Uuid, string>()
          const moved: Account[] = []
          for (const [at, id] of ids.entries()) {
            const account = accounts.get(id)
            const state = states[at]
            if (account === undefined || (state !== undefined && isSame(state, account))) continue
            if (state !== undefined && account.sequence < state.sequence) {
              altered.set(id, `is older than place ${state.sequence} of its history, which was committed`)
            } else if (state !== undefined) moved.push(account)
            else proveBy((await read)?.get(id), account, altered)
          }
          if (moved.length > 0) {
            const last = await readLastTransfers(
              tx,
              moved.map(({ id }) => id),
            )
            for (const account of moved) proveBy(last.get(account.id), account, altered)
          }
          return altered.size === 0 ? null : altered
        },
      }
    },
    committed(accounts) {
      for (const account of accounts) if (account.changed) remember(known, account)
    },
  }

  function proveBy(
    last: readonly StoredTransfer[] | undefined,
    account: Account,
    altered: Map<Uuid, string>,
  ): void {
    const why = whyAltered(vault, account, last ?? [])
    if (why === null) remember(known, account)
    else altered.set(account.id, why)
  }
}

function remember(
  known: BoundedMap<Uuid, KnownState>,
  { id, sequence, balancePaise, lastPostedMs }: Account,
): void {
  known.set(id, { sequence, balancePaise, lastPostedMs })
}

function isSame(state: KnownState, account: Account): boolean {
  return (
    state.sequence === account.sequence &&
    state.balancePaise === account.balancePaise &&
    state.lastPostedMs === account.lastPostedMs
  )
}

/** `last` is what the history has from the account's place on: exactly the transfer that left it as it is. */
function whyAltered(vault: Vault, account: Account, [last, later]: readonly StoredTransfer[]): string | null {
  if (later !== undefined)
    return `is older than its transfers: there are some behind place ${account.sequence}`
  if (account.sequence === 0n) {
    if (last !== undefined) return 'has transfers that it does not count'
    return account.balancePaise === 0n ? null : 'has a balance and no transfers'
  }
  if (last === undefined) return `has no transfer at place ${account.sequence} of its history`
  const isDebit = last.debitAccount === account.id
  const isThere =
    account.sequence === (isDebit ? last.debitSequence : last.creditSequence) &&
    account.balancePaise === (isDebit ? last.debitBalancePaise : last.creditBalancePaise) &&
    account.lastPostedMs === last.postedAt.getTime()
  if (!isThere) return `is not as transfer ${last.id} left it`
  return isGenuine(vault, last) ? null : `rests on transfer ${last.id}, which is not genuine`
}

/** No moment that cannot be: somebody else may have written it, and one row must not break the statement. */
const LAST_POSTED_MS = `least(greatest(a.last_posted_ms, 0), 253402300799999)`

/** Transfers have ids of the moment when they were posted, but for fundings, which get theirs when they are asked for. */
const FROM_ID = `case when a.sequence = 0 then '${FIRST_UUID}'::uuid
  else (lpad(to_hex(${LAST_POSTED_MS}), 12, '0') || '70008000000000000000')::uuid end`
const FROM_MOMENT = `case when a.sequence = 0 then '-infinity'::timestamptz
  else timestamptz 'epoch' + ${LAST_POSTED_MS} * interval '1 millisecond' end`

const COLUMNS = transferColumns('t')
const NAMES = [...COLUMNS.matchAll(/as ("\w+")/g)].map(([, name]) => `s.${name}`).join(', ')

/** Of each account the transfers from its place in its history on: one, unless the row is older than its history. */
const SELECT_LAST = `
  select a.id as account, ${NAMES} from accounts a cross join lateral (
    (select ${COLUMNS} from transfers t
     where t.debit_account = a.id and t.id >= ${FROM_ID} and t.debit_sequence >= a.sequence limit 2)
    union all
    (select ${COLUMNS} from transfers t
     where t.credit_account = a.id and t.id >= ${FROM_ID} and t.credit_sequence >= a.sequence and t.kind <> 'fund' limit 2)
    union all
    (select ${COLUMNS} from transfers t
     where t.credit_account = a.id and t.kind = 'fund' and t.posted_at >= ${FROM_MOMENT}
       and t.credit_sequence >= a.sequence limit 2)
  ) s where a.id = any($1::uuid[])`

async function readLastTransfers(tx: Queryable, ids: readonly Uuid[]): Promise<LastTransfers> {
  const rows = await tx.query<StoredTransfer & { account: Uuid }>(SELECT_LAST, [arrayLiteral(ids)])
  const last: LastTransfers = new Map()
  for (const { account, ...transfer } of rows) {
    const others = last.get(account)
    if (others === undefined) last.set(account, [transfer])
    else others.push(transfer)
  }
  return last
}
