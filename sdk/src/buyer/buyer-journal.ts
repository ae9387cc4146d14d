import type { Journal, PurchaseChange } from './journal.ts'

/** A journal for a buyer: a failure at the end of a purchase does not affect the caller. */
export interface BuyerJournal extends Journal {
  payeeOf(host: string): Promise<string | null>
  /** Never fails: a pin that the journal could not store is kept in memory. */
  pin(host: string, payeeId: string): Promise<void>
  /**
   * Records the end of a purchase. It never fails: an end that the journal could not store is kept in memory, so that
   * the purchase is not continued.
   */
  finish(id: string, end: PurchaseChange): Promise<void>
  /** Never fails. */
  release(id: string): Promise<void>
}

/** Pins that journals could not store, by host. */
const unkeptPins = new WeakMap<Journal, Map<string, string>>()

/** Ends that journals could not store, by the purchase's id; buyers of the same journal share them. */
const unkept = new WeakMap<Journal, Map<string, PurchaseChange>>()

export function buyerJournal(journal: Journal): BuyerJournal {
  const ends = unkept.get(journal) ?? new Map<string, PurchaseChange>()
  unkept.set(journal, ends)
  const pins = unkeptPins.get(journal) ?? new Map<string, string>()
  unkeptPins.set(journal, pins)

  async function finish(id: string, end: PurchaseChange): Promise<void> {
    try {
      await journal.update(id, end)
      ends.delete(id)
    } catch {
      ends.set(id, end)
    }
  }

  async function pin(host: string, payeeId: string): Promise<void> {
    try {
      if (journal.pin === undefined) throw new Error('this journal keeps no pins')
      await journal.pin(host, payeeId)
      pins.delete(host)
    } catch {
      pins.set(host, payeeId)
    }
  }

  async function release(id: string): Promise<void> {
    await journal.release(id).catch(() => undefined)
  }

  return {
    payeeOf: async host => pins.get(host) ?? (await journal.payeeOf?.(host)) ?? null,
    pin,
    begin: (purchase, limits) => journal.begin(purchase, limits),
    update: (id, change) => journal.update(id, change),
    async resume(requestKey) {
      // Locked until all are read, so that the journal returns each once.
      const ended: string[] = []
      try {
        for (;;) {
          const purchase = await journal.resume(requestKey)
          const end = purchase === null ? undefined : ends.get(purchase.id)
          if (purchase === null || end === undefined) return purchase
          ended.push(purchase.id)
          await finish(purchase.id, end)
        }
      } finally {
        await Promise.all(ended.map(release))
      }
    },
    finish,
    release,
  }
}
