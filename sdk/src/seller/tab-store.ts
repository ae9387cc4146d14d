/** What a seller has stored about one buyer. */
export interface StoredTabs {
  /** JSON of the seller. */
  readonly state: string
  /** Different at every write. */
  readonly version: string
}

/**
 * Where a payee's sellers keep the vouchers that they served for: a voucher that is lost cannot be captured. All
 * processes that sell for one payee need the same store. `payee` and `buyer` are agent ids.
 */
export interface TabStore {
  /**
   * Only this process has the store, so it keeps what it has read. `open` then throws an Error (code `EBUSY`) if another
   * process sells for this payee.
   */
  readonly isExclusive?: boolean
  /** Called before anything else about a payee. */
  open?(payee: string): Promise<void>
  read(payee: string, buyer: string): Promise<StoredTabs | null>
  /**
   * Replaces what is stored, or deletes it (`next` is null), if its version is still this one (null: nothing is stored);
   * otherwise false, and nothing changes. Once it returns, the state survives a crash.
   */
  write(payee: string, buyer: string, next: StoredTabs | null, version: string | null): Promise<boolean>
  /** The buyers about which something is stored. */
  buyers(payee: string): Promise<readonly string[]>
}

/** A store that one process has to itself until it is closed. */
export interface ExclusiveTabStore extends TabStore {
  readonly isExclusive: true
  /** Captures what was served and frees the store for another process. Close the servers first. */
  close(): Promise<void>
}

const endings = new WeakMap<TabStore, Set<() => Promise<void>>>()

/** Work that is done before a store is closed, while it can still be written. */
export function beforeClosing(store: TabStore, work: () => Promise<void>): void {
  const all = endings.get(store) ?? new Set()
  endings.set(store, all.add(work))
}

/** Does the work of `beforeClosing`. */
export async function endWorkOf(store: TabStore): Promise<void> {
  await Promise.all(Array.from(endings.get(store) ?? [], work => work()))
  endings.delete(store)
}
