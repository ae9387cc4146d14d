import type { Queryable } from '../db/database.ts'
import { assert } from '../kernel/assert.ts'
import { newUuid, type Uuid } from '../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../kernel/money.ts'
import type { Vault } from '../kernel/secrets.ts'
import { type Account, isSystemAccount, seenMs } from './accounts.ts'
import { releasesAt } from './releases.ts'
import { addSpending, removeSpending, rollForward } from './spending.ts'
import { postedIds, TRANSFER_KINDS, type Transfer, type TransferKind } from './transfers.ts'

/**
 * Facts that decisions need in addition to the accounts, read in one statement for a whole batch, after its locks. The
 * vault proves their MACs. Use `reader` for a key of several parts.
 */
export interface Reader<Key, Value> {
  readonly name: string
  /** A text that is unique for each key. */
  textOf(key: Key): string
  /** Returns the facts that exist, each with its key, in any order. */
  load(
    tx: Queryable,
    keys: readonly Key[],
    nowMs: number,
    vault: Vault,
  ): Promise<Iterable<readonly [Key, Value]>>
  /**
   * Fails the transaction, by `require_unchanged`, if one of these facts exists. With it a batch can be decided as if
   * none did, before anything is read (see optimistic.ts). Give it where facts are rare.
   */
  requireNone?(tx: Queryable, keys: readonly Key[], nowMs: number): Promise<unknown>
}

/**
 * A reader whose key has several parts. No part contains a NUL, because no text in PostgreSQL does, so the joined text
 * of a key is unambiguous.
 */
export function reader<Key extends object, Value>(options: {
  readonly name: string
  readonly key: readonly (keyof Key)[]
  readonly load: Reader<Key, Value>['load']
  readonly requireNone?: NonNullable<Reader<Key, Value>['requireNone']>
}): Reader<Key, Value> {
  const { name, key, load, requireNone } = options
  const [first, ...others] = key
  assert(first !== undefined, 'a key has at least one part')
  return {
    name,
    load,
    ...(requireNone !== undefined && { requireNone }),
    // Without an array, because each payment does this several times.
    textOf(of) {
      let text = String(of[first])
      for (const part of others) text += `\0${String(of[part])}`
      return text
    },
  }
}

/** A reader whose key is one id or one text. */
export function readerById<Value>(name: string, load: Reader<string, Value>['load']): Reader<string, Value> {
  return { name, load, textOf: key => key }
}

/**
 * Rows that decisions write in the batch's commit, in tables other than `accounts` and `transfers`: one statement for a
 * whole batch, sent without waiting. The vault makes the MACs of the rows that have one.
 */
export interface Writer<Row> {
  readonly name: string
  write(tx: Queryable, rows: readonly Row[], vault: Vault): Promise<unknown>
  /**
   * Whether this row was written, which has an id of its own: after a lost commit this shows whether the batch was
   * committed.
   */
  wasWritten?(tx: Queryable, row: Row): Promise<boolean>
}

/** The key at a position that SQL counts from 1, as `with ordinality` does. */
export function keyAt<Key>(keys: readonly Key[], position: number): Key {
  const key = keys[position - 1]
  assert(key !== undefined, 'a statement returns only positions of the keys that it was given')
  return key
}

/** Reads one fact outside a batch; undefined when there is none. */
export async function readOne<Key, Value>(
  { database, vault }: { readonly database: Queryable; readonly vault: Vault },
  from: Reader<Key, Value>,
  key: Key,
): Promise<Value | undefined> {
  const [found] = await from.load(database, [key], 0, vault)
  return found?.[1]
}

/** One fact that a command reads. */
export interface Read {
  readonly reader: Reader<unknown, unknown>
  readonly key: unknown
}

export function read<Key, Value>(reader: Reader<Key, Value>, key: Key): Read {
  return { reader, key }
}

/** What is taken back of a transfer that counted against limits. */
export interface Undoing {
  /** When that transfer was posted. */
  readonly postedMs: number
  readonly amountPaise: Paise
  /** Nothing of it counts any more. */
  readonly isWhole: boolean
}

/** A transfer to post. Amounts in paise; the credited side gains `amountPaise`, the debited loses it and the fee. */
export interface Posting {
  readonly kind: TransferKind
  readonly debit: Uuid
  readonly credit: Uuid
  readonly amountPaise: Paise
  readonly feePaise?: Paise
  /** Given where the transfer takes the id of an existing record (a funding); otherwise `post` makes one. */
  readonly id?: Uuid
  readonly linkedId?: Uuid
  /** The agent whose total_spent grows by the amount, when money that was held outside its wallet is spent. */
  readonly spentBy?: Uuid
  /** Of that, what it spends; the whole amount if not given. */
  readonly spentPaise?: Paise
  /** What this transfer takes back of an earlier one. Windows that still include that one are reduced. */
  readonly undoes?: Undoing
  readonly idempotencyKey?: string | null
  readonly reference?: string | null
  readonly note?: string | null
}

/**
 * The state that one batch decides on: the locked accounts and the facts that were read. A decision reads, refuses or
 * posts. The next decision of the batch sees what it posted, and one commit writes all of it.
 */
export class LedgerBatch {
  /** The time of this batch in Unix milliseconds: the posting time of all its transfers. */
  readonly nowMs: number
  readonly accounts: Map<Uuid, Account>
  readonly transfers: Transfer[] = []
  /** The earlier transfers that this batch took back whole. */
  readonly undone = new Set<Uuid>()
  /** Accounts that failed verification, each with the reason; null: none. They are not in `accounts`. */
  readonly altered: ReadonlyMap<Uuid, string> | null
  /** The first transfer whose id was made here: nobody else posts it. */
  #firstOfOwnId: Uuid | null = null
  readonly #facts = new Map<object, Map<string, unknown>>()
  readonly #writes = new Map<Writer<unknown>, unknown[]>()
  #rowsWritten = 0

  /** `clockMs` is the node's time. `nowMs` is never before a time that the accounts refer to (see `seenMs`). */
  constructor(
    accounts: Map<Uuid, Account>,
    clockMs: number,
    altered: ReadonlyMap<Uuid, string> | null = null,
  ) {
    this.accounts = accounts
    this.altered = altered
    let nowMs = clockMs
    for (const account of accounts.values()) nowMs = Math.max(nowMs, seenMs(account))
    this.nowMs = nowMs
    for (const account of accounts.values()) {
      rollForward(account.spending, nowMs)
      if (account.releases !== null) account.releases = releasesAt(account.releases, nowMs)
    }
  }

  /** The account of a wallet, or undefined when there is none. Only accounts that the command named are here. */
  account(id: Uuid): Account | undefined {
    return this.accounts.get(id)
  }

  read<Key, Value>(reader: Reader<Key, Value>, key: Key): Value | undefined {
    return this.#facts.get(reader)?.get(reader.textOf(key)) as Value | undefined
  }

  /** Makes a fact visible to the commands that follow in this batch. */
  set<Key, Value>(reader: Reader<Key, Value>, key: Key, value: Value): void {
    let facts = this.#facts.get(reader)
    if (facts === undefined) this.#facts.set(reader, (facts = new Map()))
    facts.set(reader.textOf(key), value)
  }

  setAll<Key, Value>(reader: Reader<Key, Value>, facts: Iterable<readonly [Key, Value]>): void {
    for (const [key, value] of facts) this.set(reader, key, value)
  }

  write<Row>(writer: Writer<Row>, row: Row): void {
    this.#rowsWritten++
    const rows = this.#writes.get(writer)
    if (rows === undefined) this.#writes.set(writer, [row])
    else rows.push(row)
  }

  writes(): IterableIterator<[Writer<unknown>, unknown[]]> {
    return this.#writes.entries()
  }

  /**
   * Whether this batch was committed, by the first of its transfers or rows that no other command can have written.
   * Undefined: it left no such row. A transfer whose id was given proves nothing: another node may have posted it.
   */
  findCommitted(): ((tx: Queryable) => Promise<boolean>) | undefined {
    const id = this.#firstOfOwnId
    if (id !== null) return async tx => (await postedIds(tx, [id])).size === 1
    for (const [writer, rows] of this.#writes) {
      if (writer.wasWritten !== undefined)
        return async tx => (await writer.wasWritten?.(tx, rows[0])) === true
    }
    return undefined
  }

  changedAccounts(): Account[] {
    return [...this.accounts.values()].filter(account => account.changed)
  }

  /** The number of transfers and rows that the batch has to write so far. */
  leftToWrite(): number {
    return this.transfers.length + this.#rowsWritten
  }

  /** Posts a transfer. It refuses nothing: the caller has decided, and impossible states fail an assertion. */
  post(posting: Posting): Transfer {
    const rules = TRANSFER_KINDS[posting.kind]
    const feePaise = posting.feePaise ?? ZERO_PAISE
    const debit = this.#side(posting.debit)
    const credit = this.#side(posting.credit)
    assert(posting.debit !== posting.credit, 'a transfer has two accounts')
    assert(posting.amountPaise > 0n && feePaise >= 0n, 'a transfer moves money')
    // Rolling windows are ranges of ids: an id made earlier would count as spent at that time.
    assert(
      !(rules.limited && posting.id !== undefined),
      'a transfer that counts against limits gets its id when it is posted',
    )
    assert(
      rules.undoes === (posting.undoes !== undefined),
      'a transfer that undoes another says what it takes back',
    )
    const totalPaise = (posting.amountPaise + feePaise) as Paise
    if (debit !== null) {
      assert(rules.overdraws || debit.balancePaise >= totalPaise, 'a wallet never goes below zero')
      debit.balancePaise = (debit.balancePaise - totalPaise) as Paise
      if (rules.spends) debit.totalSpentPaise = (debit.totalSpentPaise + totalPaise) as Paise
      if (rules.limited) addSpending(debit.spending, posting.amountPaise, this.nowMs)
      touch(debit, this.nowMs)
    }
    if (credit !== null) {
      credit.balancePaise = (credit.balancePaise + posting.amountPaise) as Paise
      if (rules.funds) credit.totalFundedPaise = (credit.totalFundedPaise + posting.amountPaise) as Paise
      if (posting.undoes !== undefined) {
        removeSpending(credit.spending, posting.undoes.amountPaise, posting.undoes.postedMs)
        if (posting.undoes.isWhole && posting.linkedId !== undefined) this.undone.add(posting.linkedId)
      }
      touch(credit, this.nowMs)
    }
    if (posting.spentBy !== undefined) this.#spend(posting.spentBy, posting.spentPaise ?? posting.amountPaise)
    const postedAt = new Date(this.nowMs)
    const transfer: Transfer = {
      id: posting.id ?? newUuid(postedAt),
      kind: posting.kind,
      debitAccount: posting.debit,
      creditAccount: posting.credit,
      amountPaise: posting.amountPaise,
      feePaise,
      debitBalancePaise: debit?.balancePaise ?? null,
      creditBalancePaise: credit?.balancePaise ?? null,
      debitSequence: debit?.sequence ?? null,
      creditSequence: credit?.sequence ?? null,
      postedAt,
      linkedId: posting.linkedId ?? null,
      idempotencyKey: posting.idempotencyKey ?? null,
      reference: posting.reference ?? null,
      note: posting.note ?? null,
    }
    if (posting.id === undefined) this.#firstOfOwnId ??= transfer.id
    this.transfers.push(transfer)
    return transfer
  }

  #spend(id: Uuid, amountPaise: Paise): void {
    const spender = this.#named(id)
    spender.totalSpentPaise = (spender.totalSpentPaise + amountPaise) as Paise
    spender.changed = true
  }

  #side(id: Uuid): Account | null {
    return isSystemAccount(id) ? null : this.#named(id)
  }

  #named(id: Uuid): Account {
    const account = this.accounts.get(id)
    assert(account !== undefined, 'a transfer uses only accounts that its command named')
    return account
  }
}

function touch(account: Account, postedMs: number): void {
  account.sequence += 1n
  account.lastPostedMs = postedMs
  account.changed = true
}
