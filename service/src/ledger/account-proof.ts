import { arrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import { boundedMap } from '../kernel/bounded-map.ts'
import { FIRST_UUID, type Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { Account } from './accounts.ts'
import { copyOf, isUnchanged } from './seen-accounts.ts'
import { isGenuine, type StoredTransfer, transferColumns } from './stored-transfers.ts'

/**
 * Proves accounts before a decision uses them. An account is genuine if it equals the state after its last transfer,
 * whose MAC covers the balance and the sequence. An account whose state this process knows needs no statement.
 */
export interface AccountProofs {
  /**
   * Reads the last transfers of the accounts that this process does not know, in the round trip that locks them. Call it
   * after the locking statement was issued; then `check` the accounts that the statement returned.
   */
  read(tx: Queryable, ids: readonly Uuid[]): PendingProofs
  /** Remembers the committed state. Call it before another batch of this process locks the accounts. */
  committed(accounts: Iterable<Account>): void
  /**
   * The accounts as this process read or committed them last, which other processes may have changed since. Null: it
   * does not know all of them. Do not change them; see `copyOf`.
   */
  recall(ids: readonly Uuid[]): readonly Account[] | null
}

export interface PendingProofs {
  /** The statements that were issued after the locking statement. */
  readonly statements: readonly Promise<unknown>[]
  /** The accounts that failed verification, each with the reason; null: all are genuine. */
  check(accounts: ReadonlyMap<Uuid, Account>): Promise<Map<Uuid, string> | null>
}

type LastTransfers = Map<Uuid, StoredTransfer[]>

const DEFAULT_REMEMBERED = 50_000

export function openAccountProofs(vault: Vault, remembered = DEFAULT_REMEMBERED): AccountProofs {
  const known = boundedMap<Uuid, Account>(remembered)

  return {
    read(tx, ids) {
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
            if (account === undefined) continue
            if (state !== undefined && isSame(state, account)) {
              if (!isUnchanged(state, account)) known.set(id, copyOf(account))
              continue
            }
            if (state !== undefined && account.sequence < state.sequence) {
              altered.set(id, `has a sequence below ${state.sequence}, which was committed`)
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
      for (const account of accounts) if (account.changed) known.set(account.id, account)
    },
    recall(ids) {
      const accounts: Account[] = []
      for (const id of ids) {
        const account = known.get(id)
        if (account === undefined) return null
        accounts.push(account)
      }
      return accounts
    },
  }

  function proveBy(
    last: readonly StoredTransfer[] | undefined,
    account: Account,
    altered: Map<Uuid, string>,
  ): void {
    const why = whyAltered(vault, account, last ?? [])
    // A copy, because the batch goes on changing the account, and may fail.
    if (why === null) known.set(account.id, copyOf(account))
    else altered.set(account.id, why)
  }
}

function isSame(state: Account, account: Account): boolean {
  return (
    state.sequence === account.sequence &&
    state.balancePaise === account.balancePaise &&
    state.lastPostedMs === account.lastPostedMs
  )
}

/** `last` has the transfers from the account's sequence on: for a genuine account exactly one. */
function whyAltered(vault: Vault, account: Account, [last, later]: readonly StoredTransfer[]): string | null {
  if (later !== undefined)
    return `is older than its transfers: some have a sequence above ${account.sequence}`
  if (account.sequence === 0n) {
    if (last !== undefined) return 'has sequence 0, but has transfers'
    return account.balancePaise === 0n ? null : 'has a balance and no transfers'
  }
  if (last === undefined) return `has no transfer with its sequence ${account.sequence}`
  const isDebit = last.debitAccount === account.id
  const isThere =
    account.sequence === (isDebit ? last.debitSequence : last.creditSequence) &&
    account.balancePaise === (isDebit ? last.debitBalancePaise : last.creditBalancePaise) &&
    account.lastPostedMs === last.postedAt.getTime()
  if (!isThere) return `differs from the state after transfer ${last.id}`
  return isGenuine(vault, last) ? null : `depends on transfer ${last.id}, whose MAC does not match`
}

/** Bounded, because an altered value out of range must not fail the statement for all accounts. */
const LAST_POSTED_MS = `least(greatest(a.last_posted_ms, 0), 253402300799999)`

/** A transfer's id holds the time of its posting; a funding's id holds the time of its request. */
const FROM_ID = `case when a.sequence = 0 then '${FIRST_UUID}'::uuid
  else (lpad(to_hex(${LAST_POSTED_MS}), 12, '0') || '70008000000000000000')::uuid end`
const FROM_MOMENT = `case when a.sequence = 0 then '-infinity'::timestamptz
  else timestamptz 'epoch' + ${LAST_POSTED_MS} * interval '1 millisecond' end`

const COLUMNS = transferColumns('t')
const NAMES = [...COLUMNS.matchAll(/as ("\w+")/g)].map(([, name]) => `s.${name}`).join(', ')

/** For each account the transfers from its sequence on: one, unless the row is older than its history. */
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
