import { lockName, type Unlock } from './process-lock.ts'
import { type ExclusiveTabStore, endWorkOf, type StoredTabs } from './tab-store.ts'

/**
 * Vouchers of one process, for all sellers in it. They end with it: close the store first, which captures what was
 * served. While it is in use it holds a lock on this machine for each payee.
 */
export function memoryTabStore(): ExclusiveTabStore {
  const locks = new Map<string, Promise<Unlock>>()
  const payees = new Map<string, Map<string, StoredTabs>>()

  function tabsOf(payee: string): Map<string, StoredTabs> {
    const tabs = payees.get(payee) ?? new Map<string, StoredTabs>()
    payees.set(payee, tabs)
    return tabs
  }
  const store: ExclusiveTabStore = {
    isExclusive: true,
    async open(payee) {
      const lock = locks.get(payee) ?? lockName(`vouchers to ${payee}`)
      locks.set(payee, lock)
      await lock.catch((error: unknown) => {
        locks.delete(payee)
        throw error
      })
    },
    read: async (payee, buyer) => tabsOf(payee).get(buyer) ?? null,
    async write(payee, buyer, next, version) {
      const tabs = tabsOf(payee)
      if ((tabs.get(buyer)?.version ?? null) !== version) return false
      if (next === null) tabs.delete(buyer)
      else tabs.set(buyer, next)
      return true
    },
    buyers: async payee => [...tabsOf(payee).keys()],
    async close() {
      await endWorkOf(store)
      for (const lock of locks.values()) await (await lock)()
      locks.clear()
    },
  }
  return store
}
