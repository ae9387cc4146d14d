import type { Journal, Purchase } from './journal.ts'
import { exceededBudget, isKept, isUnfinished } from './journal-rules.ts'
import type { Pin } from './purchase-line.ts'

/** The storage of a journal: each purchase as of each step, of which the last counts. */
export interface PurchaseStorage {
  append(purchase: Purchase): Promise<void>
  appendPin(pin: Pin): Promise<void>
  /** Replaces all that was appended. */
  rewrite(purchases: Iterable<Purchase>, pins: Iterable<Pin>): Promise<void>
}

/** A journal that can be closed before its process ends. */
export interface StoredJournal extends Journal {
  /**
   * Closes it after the purchases in progress have ended: until then it records their steps, but starts and returns
   * none. Abort their calls to end them sooner.
   */
  close(): Promise<void>
  payeeOf(host: string): Promise<string | null>
  pin(host: string, payeeId: string): Promise<void>
}

/** A journal of the purchases known so far. `appended`: the number of entries appended so far. */
export function storedJournal(
  keeper: PurchaseStorage,
  known: readonly Purchase[] = [],
  appended = known.length,
  pinned: readonly Pin[] = [],
): StoredJournal {
  const records = openRecords(keeper, known, appended, pinned)
  const held = new Set<string>()
  const inTurn = oneAtATime()
  let closed: Promise<void> | null = null
  let onIdle = () => {}

  function unlessClosed<T>(step: () => Promise<T>): Promise<T> {
    return closed === null ? inTurn(step) : Promise.reject(new Error('the journal is closed'))
  }
  async function close(): Promise<void> {
    // A purchase that started earlier is locked after its turn.
    await inTurn(async () => {})
    if (held.size > 0) await new Promise<void>(resolve => (onIdle = resolve))
    await inTurn.end()
  }

  return {
    resume: requestKey =>
      unlessClosed(async () => {
        for (const purchase of records.unfinished.values()) {
          if (purchase.requestKey !== requestKey || held.has(purchase.id)) continue
          held.add(purchase.id)
          return purchase
        }
        return null
      }),
    begin: (purchase, limits) =>
      unlessClosed(async () => {
        if (records.purchases.has(purchase.id)) throw new Error(`purchase ${purchase.id} was started before`)
        const exceeded = exceededBudget(records.purchases, purchase, limits)
        if (exceeded !== null) return exceeded
        // Now and not at an update: before money has moved, nothing is lost if the storage fails.
        await records.forget(known => !held.has(known.id) && !isKept(known, purchase.startedAt))
        await records.keep(purchase)
        held.add(purchase.id)
        return null
      }),
    update: (id, change) =>
      inTurn(async () => {
        const purchase = records.purchases.get(id)
        if (purchase === undefined) throw new Error(`there is no purchase ${id}`)
        await records.keep({ ...purchase, ...change })
      }),
    release: id =>
      inTurn(async () => {
        held.delete(id)
        if (held.size === 0) onIdle()
      }),
    payeeOf: host => unlessClosed(async () => records.payees.get(host) ?? null),
    pin: (host, payeeId) => inTurn(() => records.pin({ host, payeeId })),
    close: () => (closed ??= close()),
  }
}

interface PurchaseRecords {
  readonly purchases: ReadonlyMap<string, Purchase>
  /** Every request reads these, and there may be many others. */
  readonly unfinished: ReadonlyMap<string, Purchase>
  keep(purchase: Purchase): Promise<void>
  /** By host. */
  readonly payees: ReadonlyMap<string, string>
  pin(pin: Pin): Promise<void>
  /** Drops old entries once enough was appended to be worth it. */
  forget(isOld: (purchase: Purchase) => boolean): Promise<void>
}

/** How many appended entries are kept, even if few of them still matter. */
const APPENDED_AT_LEAST = 1_000

/** The maximum number of pinned hosts; the oldest is dropped first. */
const MAX_PINS = 10_000

function openRecords(
  keeper: PurchaseStorage,
  known: readonly Purchase[],
  appendedBefore: number,
  pinned: readonly Pin[],
): PurchaseRecords {
  const payees = new Map<string, string>()
  const purchases = new Map<string, Purchase>()
  const unfinished = new Map<string, Purchase>()
  let appended = appendedBefore
  let rewriteAt = APPENDED_AT_LEAST

  function note(purchase: Purchase): void {
    purchases.set(purchase.id, purchase)
    if (isUnfinished(purchase)) unfinished.set(purchase.id, purchase)
    else unfinished.delete(purchase.id)
  }
  function notePin({ host, payeeId }: Pin): void {
    payees.delete(host)
    payees.set(host, payeeId)
    for (const eldest of payees.keys()) {
      if (payees.size <= MAX_PINS) break
      payees.delete(eldest)
    }
  }
  for (const purchase of known) note(purchase)
  for (const pin of pinned) notePin(pin)

  return {
    purchases,
    unfinished,
    payees,
    async pin(pin) {
      if (payees.get(pin.host) === pin.payeeId) return
      await keeper.appendPin(pin)
      appended += 1
      notePin(pin)
    },
    async keep(purchase) {
      await keeper.append(purchase)
      appended += 1
      note(purchase)
    },
    async forget(isOld) {
      if (appended < rewriteAt) return
      const old = new Set([...purchases.values()].filter(isOld))
      const kept = [...purchases.values()].filter(purchase => !old.has(purchase))
      await keeper.rewrite(
        kept,
        [...payees].map(([host, payeeId]) => ({ host, payeeId })),
      )
      for (const { id } of old) {
        purchases.delete(id)
        unfinished.delete(id)
      }
      appended = purchases.size + payees.size
      rewriteAt = 2 * appended + APPENDED_AT_LEAST
    },
  }
}

interface Turns {
  <T>(step: () => Promise<T>): Promise<T>
  /** Resolves when all steps are over; no more are taken. */
  end(): Promise<void>
}

/** Runs steps one after the other, in their order; a failed step does not stop the next. */
function oneAtATime(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let isOver = false
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    if (isOver) return Promise.reject(new Error('the journal is closed'))
    const result = last.then(step)
    last = result.catch(() => undefined)
    return result
  }
  inTurn.end = async () => {
    isOver = true
    await last
  }
  return inTurn
}

/** A journal that ends with the process. Finished purchases are kept for a day, for budgets. */
export function memoryJournal(): Journal {
  return storedJournal({ append: async () => {}, appendPin: async () => {}, rewrite: async () => {} })
}
