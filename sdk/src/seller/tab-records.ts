import { wait } from '../client/timeouts.ts'
import { hexFromBytes } from '../protocol/base64.ts'
import { type BuyerTabs, tabsInText, textOfTabs } from './tab.ts'
import type { StoredTabs, TabStore } from './tab-store.ts'

/** A change of what is kept about a buyer, which may be applied again if another process was faster. */
export type TabChange<Result> = (tabs: BuyerTabs) => { readonly tabs: BuyerTabs; readonly result: Result }

/** The tabs of one payee's buyers, in a store. Changes of one buyer take effect one after the other. */
export interface TabRecords {
  /** Whether no other process changes it. */
  readonly isAlone: boolean
  /** The tabs as this process last read or wrote them. */
  latest(buyer: string): BuyerTabs
  /** Returns once the change is stored. */
  update<Result>(buyer: string, change: TabChange<Result>): Promise<Result>
  /** The same for the stored tabs: other processes may have changed them, also if this change has no effect. */
  updateFresh<Result>(buyer: string, change: TabChange<Result>): Promise<Result>
  /** Changes at once what `latest` returns, and is stored with the next update. */
  note(buyer: string, change: (tabs: BuyerTabs) => BuyerTabs): void
  buyers(): Promise<readonly string[]>
}

interface PayeeRecords {
  readonly store: TabStore
  readonly payee: string
  readonly recover: (tabs: BuyerTabs) => BuyerTabs
  readonly ofBuyers: Map<string, BuyerRecord>
}

/** What is known about a buyer. */
interface BuyerRecord {
  readonly buyer: string
  /** The tabs as they are stored. */
  tabs: BuyerTabs
  version: string | null
  /** The read in progress; null: there is none. */
  loading: Promise<void> | null
  /** Changes that are not in `tabs` yet, in their order. */
  noted: Note[]
  /** Changes in `tabs` that are being stored. After a failure they are queued again: each takes effect once. */
  storing: Note[]
  waiting: Waiting[]
  isWriting: boolean
  /** Whether it has to be read before the next change. */
  isOld: boolean
}

type Note = (tabs: BuyerTabs) => BuyerTabs

interface Waiting {
  /** Applies the change to the tabs; returns them, and how to report it once they are stored. */
  apply(tabs: BuyerTabs): { readonly tabs: BuyerTabs; readonly report: () => void }
  fail(error: unknown): void
}

/** `recover`: what still holds of what was stored when another process ended. */
export function openTabRecords(
  store: TabStore,
  payee: string,
  recover: (tabs: BuyerTabs) => BuyerTabs,
): TabRecords {
  const payeeRecords: PayeeRecords = { store, payee, recover, ofBuyers: new Map() }

  async function update<Result>(buyer: string, change: TabChange<Result>, isFresh: boolean): Promise<Result> {
    const record = recordOf(payeeRecords, buyer)
    if (record.loading !== null) await record.loading
    if (store.isExclusive === true) return updateAlone(payeeRecords, record, change)
    record.isOld ||= isFresh
    return updateShared(payeeRecords, record, change)
  }
  return {
    isAlone: store.isExclusive === true,
    latest(buyer) {
      const record = payeeRecords.ofBuyers.get(buyer)
      return record === undefined ? [] : withNotes(record)
    },
    update: (buyer, change) => update(buyer, change, false),
    updateFresh: (buyer, change) => update(buyer, change, true),
    note(buyer, change) {
      recordOf(payeeRecords, buyer).noted.push(change)
    },
    buyers: () => store.buyers(payee),
  }
}

function recordOf(payeeRecords: PayeeRecords, buyer: string): BuyerRecord {
  const known = payeeRecords.ofBuyers.get(buyer)
  if (known !== undefined) return known
  const record: BuyerRecord = {
    ...{ buyer, tabs: [], version: null, loading: null, noted: [], storing: [] },
    ...{ waiting: [], isWriting: false, isOld: false },
  }
  payeeRecords.ofBuyers.set(buyer, record)
  const loading = read(payeeRecords, record).then(
    () => {
      // Only at the start: later, some calls in progress belong to this process.
      record.tabs = payeeRecords.recover(record.tabs)
    },
    (error: unknown) => {
      drop(payeeRecords, record)
      throw error
    },
  )
  setLoading(record, loading)
  return record
}

function setLoading(record: BuyerRecord, loading: Promise<void>): void {
  const ended = loading.finally(() => {
    if (record.loading === ended) record.loading = null
  })
  record.loading = ended
  ended.catch(() => {})
}

async function read({ store, payee }: PayeeRecords, record: BuyerRecord): Promise<void> {
  const stored = await store.read(payee, record.buyer)
  record.tabs = stored === null ? [] : tabsInText(stored.state)
  record.version = stored?.version ?? null
}

/** The version of what was written; false if another process was faster. */
async function write(
  { store, payee }: PayeeRecords,
  { buyer, version }: BuyerRecord,
  tabs: BuyerTabs,
): Promise<string | null | false> {
  const next = tabs.length === 0 ? null : storedTabs(tabs)
  return (await store.write(payee, buyer, next, version)) && (next?.version ?? null)
}

/** No other process writes, so a change takes effect at once, and the next one need not wait until it is stored. */
async function updateAlone<Result>(
  payeeRecords: PayeeRecords,
  record: BuyerRecord,
  change: TabChange<Result>,
): Promise<Result> {
  const { tabs, result } = change(withNotes(record))
  const notes = record.noted.splice(0)
  if (tabs === record.tabs) return result
  record.storing.push(...notes)
  const { store, payee } = payeeRecords
  const next = tabs.length === 0 ? null : storedTabs(tabs)
  const stored = store.write(payee, record.buyer, next, record.version)
  Object.assign(record, { tabs, version: next?.version ?? null })
  try {
    if (!(await stored)) throw new Error('The vouchers were changed by another process')
  } catch (error) {
    // The stored tabs are read again, and the queued changes remain to be stored.
    record.noted.unshift(...record.storing.splice(0))
    if (record.loading === null) setLoading(record, read(payeeRecords, record))
    throw error
  }
  record.storing = record.storing.filter(each => !notes.includes(each))
  dropIfEmpty(payeeRecords, record)
  return result
}

function updateShared<Result>(
  payeeRecords: PayeeRecords,
  record: BuyerRecord,
  change: TabChange<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    record.waiting.push({
      apply(tabs) {
        const changed = change(tabs)
        return { tabs: changed.tabs, report: () => resolve(changed.result) }
      },
      fail: reject,
    })
    if (!record.isWriting) void writeWaiting(payeeRecords, record)
  })
}

/** The maximum number of attempts to store a change while other processes write. */
const MAX_CONFLICTS = 100
const MAX_CONFLICT_DELAY_MS = 20

/** All waiting changes are one write, and those that come meanwhile the next one. */
async function writeWaiting(payeeRecords: PayeeRecords, record: BuyerRecord): Promise<void> {
  record.isWriting = true
  for (let conflicts = 0; record.waiting.length > 0; ) {
    let [changes, notes] = [record.waiting.length, 0]
    try {
      while (record.isOld) {
        record.isOld = false
        await read(payeeRecords, record)
      }
      ;[changes, notes] = [record.waiting.length, record.noted.length]
      const { tabs, reports } = applied(record)
      const version = tabs === record.tabs ? record.version : await write(payeeRecords, record, tabs)
      if (version === false) {
        if (++conflicts > MAX_CONFLICTS) throw new Error('Other processes change the same vouchers too often')
        await wait(Math.random() * Math.min(conflicts, MAX_CONFLICT_DELAY_MS), undefined)
        await read(payeeRecords, record)
        continue
      }
      Object.assign(record, { tabs, version })
      record.waiting.splice(0, changes)
      record.noted.splice(0, notes)
      conflicts = 0
      for (const report of reports) report()
    } catch (error) {
      for (const each of record.waiting.splice(0, changes)) each.fail(error)
      // The write may have succeeded nevertheless.
      await read(payeeRecords, record).catch(() => {})
    }
  }
  record.isWriting = false
  dropIfEmpty(payeeRecords, record)
}

function applied(record: BuyerRecord): {
  readonly tabs: BuyerTabs
  readonly reports: readonly (() => void)[]
} {
  let tabs = withNotes(record)
  const reports = record.waiting.map(each => {
    const change = each.apply(tabs)
    tabs = change.tabs
    return change.report
  })
  return { tabs, reports }
}

function withNotes({ tabs, noted }: BuyerRecord): BuyerTabs {
  return noted.reduce((all, note) => note(all), tabs)
}

function dropIfEmpty(payeeRecords: PayeeRecords, record: BuyerRecord): void {
  if (record.tabs.length === 0 && record.noted.length === 0 && record.waiting.length === 0)
    drop(payeeRecords, record)
}

function drop({ ofBuyers }: PayeeRecords, record: BuyerRecord): void {
  if (ofBuyers.get(record.buyer) === record) ofBuyers.delete(record.buyer)
}

/** The text is made when it is needed: a store in memory may never need it. */
function storedTabs(tabs: BuyerTabs): StoredTabs {
  return {
    get state() {
      return textOfTabs(tabs)
    },
    version: newVersion(),
  }
}

let run: string | undefined
let writes = 0

/** Different in every process and at every write: a version that was deleted does not come again. */
function newVersion(): string {
  // Not when the module is loaded: some platforms have no random numbers then.
  run ??= hexFromBytes(crypto.getRandomValues(new Uint8Array(8)))
  return `${run}-${++writes}`
}
