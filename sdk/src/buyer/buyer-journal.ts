import type { Journal, PurchaseChange } from './journal.ts'

/** A journal as a buyer uses it: at the end of a purchase its failures take nothing away from the caller. */
export interface BuyerJournal extends Journal {
  /**
   * Notes how a purchase ended. It never fails: an end that the journal could not keep is remembered as long as the
   * process runs, so that the purchase is not gone on with.
   */
  finish(id: string, end: PurchaseChange): Promise<void>
  /** Never fails. */
  release(id: string): Promise<void>
}

/** Ends that journals could not keep, by the purchase's id; buyers of the same journal share them. */
const unkept = new WeakMap<Journal, Map<string, PurchaseChange>>()

export function buyerJournal(journal: Journal): BuyerJournal {
  const ends = unkept.get(journal) ?? new Map<string, PurchaseChange>()
  unkept.set(journal, ends)

  async function finish(id: string, end: PurchaseChange): Promise<void> {
    try {
      await journal.update(id, end)
      ends.delete(id)
    } catch {
      ends.set(id, end)
    }
  }

  async function release(id: string): Promise<void> {
    await journal.release(id).catch(() => undefined)
  }

  return {
    begin: (purchase, limits) => journal.begin(purchase, limits),
    update: (id, change) => journal.update(id, change),
    async resume(requestKey) {
      // Held until the end, so that each is handed out once.
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
