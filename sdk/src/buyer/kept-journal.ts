import type { Journal, Purchase } from './journal.ts'
import { exceededBudget, isKept, isUnfinished } from './journal-rules.ts'
import type { Pin } from './purchase-line.ts'

/** Where a journal keeps its purchases: each as it stands after a step, the last word counting. */
export interface PurchaseKeeper {
  append(purchase: Purchase): Promise<void>
  appendPin(pin: Pin): Promise<void>
  /** Replaces all that was appended. */
  rewrite(purchases: Iterable<Purchase>, pins: Iterable<Pin>): Promise<void>
}

/** A journal that can end before its process does. */
export interface KeptJournal extends Journal {
  /**
   * Ends it once the purchases under way have: until then it takes their steps, but begins and hands out none. Who cannot
   * wait aborts their calls.
   */
  close(): Promise<void>
  payeeOf(host: string): Promise<string | null>
  pin(host: string, payeeId: string): Promise<void>
}

/** A journal of the purchases known so far. `appended`: how many times the keeper was appended to. */
export function keptJournal(
  keeper: PurchaseKeeper,
  known: readonly Purchase[] = [],
  appended = known.length,
  pinned: readonly Pin[] = [],
): KeptJournal {
  const book = openBook(keeper, known, appended, pinned)
  const held = new Set<string>()
  const inTurn = oneAtATime()
  let closed: Promise<void> | null = null
  let onIdle = () => {}

  function unlessClosed<T>(step: () => Promise<T>): Promise<T> {
    return closed === null ? inTurn(step) : Promise.reject(new Error('the journal is closed'))
  }
  async function close(): Promise<void> {
    // What has begun before is held after its turn.
    await inTurn(async () => {})
    if (held.size > 0) await new Promise<void>(resolve => (onIdle = resolve))
    await inTurn.end()
  }

  return {
    resume: requestKey =>
      unlessClosed(async () => {
        for (const purchase of book.unfinished.values()) {
          if (purchase.requestKey !== requestKey || held.has(purchase.id)) continue
          held.add(purchase.id)
          return purchase
        }
        return null
      }),
    begin: (purchase, limits) =>
      unlessClosed(async () => {
        if (book.purchases.has(purchase.id)) throw new Error(`purchase ${purchase.id} has begun before`)
        const exceeded = exceededBudget(book.purchases, purchase, limits)
        if (exceeded !== null) return exceeded
        // Now, and not at an update: as long as no money has moved nothing is lost if the keeper fails.
        await book.forget(known => !held.has(known.id) && !isKept(known, purchase.startedAt))
        await book.keep(purchase)
        held.add(purchase.id)
        return null
      }),
    update: (id, change) =>
      inTurn(async () => {
        const purchase = book.purchases.get(id)
        if (purchase === undefined) throw new Error(`there is no purchase ${id}`)
        await book.keep({ ...purchase, ...change })
      }),
    release: id =>
      inTurn(async () => {
        held.delete(id)
        if (held.size === 0) onIdle()
      }),
    payeeOf: host => unlessClosed(async () => book.payees.get(host) ?? null),
    pin: (host, payeeId) => inTurn(() => book.pin({ host, payeeId })),
    close: () => (closed ??= close()),
  }
}

interface Book {
  readonly purchases: ReadonlyMap<string, Purchase>
  /** Every request asks for these, and of the others there may be many. */
  readonly unfinished: ReadonlyMap<string, Purchase>
  keep(purchase: Purchase): Promise<void>
  /** By host. */
  readonly payees: ReadonlyMap<string, string>
  pin(pin: Pin): Promise<void>
  /** Lets go of what is old, once enough was appended to make it worth while. */
  forget(isOld: (purchase: Purchase) => boolean): Promise<void>
}

/** How many appended ones are let be, however few of them are still of use. */
const APPENDED_AT_LEAST = 1_000

/** So many hosts are remembered; the one that was pinned first is forgotten first. */
const MAX_PINS = 10_000

function openBook(
  keeper: PurchaseKeeper,
  known: readonly Purchase[],
  appendedBefore: number,
  pinned: readonly Pin[],
): Book {
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

/** Runs steps one after the other, in the order in which they came; one that fails does not hold up the next. */
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
