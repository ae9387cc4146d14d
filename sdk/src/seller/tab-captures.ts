import type { Client } from '../client/client.ts'
import { isBatuaError } from '../client/errors.ts'
import type { CallOptions } from '../client/options.ts'
import { pause, repeat } from '../client/timeouts.ts'
import { type Paise, paiseFromRupees, rupeesNumber, rupeesText } from '../protocol/amount.ts'
import {
  type BuyerTabs,
  byUrgency,
  CHECK_EVERY_MS,
  capturablePaise,
  checkedTab,
  closingTab,
  countedPaise,
  type DueTab,
  dueTabsOf,
  endedTab,
  isEnding,
  isFresh,
  MIN_CAPTURE_PAISE,
  type Tab,
  type Times,
  withoutOldCalls,
  withoutSettledTabs,
} from './tab.ts'
import { openTabQueues, type TabQueues } from './tab-queues.ts'
import { openTabRecords, type TabRecords } from './tab-records.ts'
import { type AskedAuthorization, askAuthorization } from './tab-service.ts'
import { beforeClosing, type TabStore } from './tab-store.ts'

/** How a payee captures. */
export interface TabSettings {
  readonly client: Client
  readonly captureEveryMs: number
  readonly captureAbovePaise: Paise
  readonly now: () => number
  /** Never throws. */
  readonly onError: (error: unknown) => void
}

/** All vouchers to one payee in this process: what is kept of them, and their captures. */
export interface TabCaptures {
  readonly payeeId: string
  readonly records: TabRecords
  /** Whether the store was closed. */
  isClosed(): boolean
  /** Queries the service about an authorization and stores the result. Concurrent callers share one query. */
  ask(buyer: string, authorizationId: string, options: CallOptions): Promise<AskedAuthorization>
  /** Whether an authorization was found open recently enough to take its vouchers. */
  isFresh(tab: Tab): boolean
  /** Whether captures and checks wait because the service refused one with 429. */
  isBehind(): boolean
  /** Captures, in the background, what is due after a call. */
  afterCall(buyer: string): void
  /** Nonces of the calls that are in progress in this process. */
  readonly inProgress: Set<string>
  /**
   * Captures what a buyer owes, or waits until one of its calls has ended, at most a second. False at once if too many
   * of its calls wait. Rejects if the signal aborts.
   */
  room(buyer: string, signal: AbortSignal): Promise<boolean>
}

const MAX_TICK_MS = 60_000
const MIN_PAUSE_MS = 1_000
/** After a 429 without `Retry-After`. */
const DEFAULT_PAUSE_MS = 60_000
/** Settled tabs are forgotten after this time; their 402s have expired by then. */
const SETTLED_FOR_MS = 10 * 60_000
/** A call of another process that has not reported anything for so long has ended with its process. */
const CALL_LASTS_MS = 10 * 60_000
const ASK_TIMEOUT = { timeoutMs: 10_000, maxRetries: 0 } as const

const capturesOfStores = new WeakMap<TabStore, Map<string, Promise<TabCaptures>>>()

/** The captures of a payee at a store; the first seller's settings hold for the captures of all. */
export function capturesOf(store: TabStore, payeeId: string, settings: TabSettings): Promise<TabCaptures> {
  const ofStore = capturesOfStores.get(store) ?? new Map<string, Promise<TabCaptures>>()
  capturesOfStores.set(store, ofStore)
  const known = ofStore.get(payeeId)
  if (known !== undefined) return known
  const captures = openCaptures(store, payeeId, settings)
  ofStore.set(payeeId, captures)
  captures.catch(() => ofStore.delete(payeeId))
  beforeClosing(store, async () => {
    ofStore.delete(payeeId)
  })
  return captures
}

async function openCaptures(store: TabStore, payeeId: string, settings: TabSettings): Promise<TabCaptures> {
  await store.open?.(payeeId)
  const { now } = settings
  const lastsMs = store.isExclusive === true ? 0 : CALL_LASTS_MS
  const recover = (tabs: BuyerTabs) => withoutOldCalls(tabs, lastsMs === 0 ? Infinity : now() - lastsMs)
  const records = openTabRecords(store, payeeId, recover)
  const work: Work = {
    ...{ ...settings, records, aheadMs: 0, asking: new Map(), capturing: new Map() },
    ...{
      inProgress: new Set(),
      queues: openTabQueues(),
      isRunning: false,
      pausedMs: null,
      stopping: new AbortController(),
    },
  }
  const tickMs = Math.min(settings.captureEveryMs, MAX_TICK_MS)
  let isClosed = false
  const stop = repeat(tickMs, () => void captureDue(work, tickMs).catch(settings.onError))
  beforeClosing(store, async () => {
    stop()
    isClosed = true
    work.stopping.abort()
    work.pausedMs = null
    for (const buyer of await records.buyers()) await captureAndReturn(work, buyer)
  })
  // Calls that an earlier process served are captured soon.
  void captureDue(work, tickMs).catch(settings.onError)
  return {
    payeeId,
    records,
    isClosed: () => isClosed,
    ask: (buyer, authorizationId, options) => askOnce(work, buyer, authorizationId, options),
    isFresh: tab => isFresh(tab, timesOf(work), CHECK_EVERY_MS),
    isBehind: () => work.pausedMs !== null,
    inProgress: work.inProgress,
    afterCall: buyer => {
      work.queues.wake(buyer)
      if (work.pausedMs !== null) return
      for (const tab of records.latest(buyer)) {
        const duePaise = capturablePaise(tab) - tab.capturedPaise
        const isDue = isEnding(tab) ? tab.open.length === 0 : duePaise >= settings.captureAbovePaise
        if (isDue) void captureTab(work, buyer, tab.authorizationId)
      }
    },
    room: (buyer, signal) => work.queues.room(buyer, signal, () => collect(work, buyer)),
  }
}

interface Work extends TabSettings {
  readonly records: TabRecords
  aheadMs: number
  readonly asking: Map<string, Promise<AskedAuthorization>>
  readonly capturing: Map<string, Promise<boolean>>
  readonly inProgress: Set<string>
  readonly queues: TabQueues
  /** Only one run at a time. */
  isRunning: boolean
  /** How long the service asked to wait with its last 429; null: a later request succeeded. */
  pausedMs: number | null
  /** Aborted when the store is closed. */
  readonly stopping: AbortController
}

function timesOf({ now, aheadMs }: Work): Times {
  return { nowMs: now(), aheadMs }
}

/**
 * Captures what is due, checks authorizations that were not checked recently, and ends closing ones. One run at a time.
 */
async function captureDue(work: Work, tickMs: number): Promise<void> {
  if (work.isRunning) return
  work.isRunning = true
  try {
    const captureAfterMs = work.captureEveryMs - tickMs / 2
    const due: DueTab[] = []
    for (const buyer of await work.records.buyers()) {
      // As it is stored now, without the calls of processes that have ended.
      const tabs = await work.records.updateFresh(buyer, before => {
        const ended = withoutOldCalls(before, work.now() - CALL_LASTS_MS, nonce => work.inProgress.has(nonce))
        const after = withoutSettledTabs(ended, work.now() - SETTLED_FOR_MS)
        return { tabs: after, result: after }
      })
      due.push(...dueTabsOf(buyer, tabs, { ...timesOf(work), captureAfterMs }))
    }
    for (const each of due.toSorted(byUrgency)) await doDue(work, each)
    await endPause(work)
  } finally {
    work.isRunning = false
  }
}

/**
 * After a 429 the run waits as long as the service asks and repeats the same request, so no buyer is always left out.
 */
async function doDue(work: Work, { buyer, tab: { authorizationId }, what }: DueTab): Promise<void> {
  const { signal } = work.stopping
  while (!signal.aborted) {
    await endPause(work)
    if (signal.aborted) return
    if (what === 'capture') await captureTab(work, buyer, authorizationId)
    else {
      await askOnce(work, buyer, authorizationId, ASK_TIMEOUT).catch((error: unknown) =>
        reportFailure(work, error),
      )
    }
    if (work.pausedMs === null) return
  }
}

async function endPause(work: Work): Promise<void> {
  if (work.pausedMs !== null) await pause(work.pausedMs, work.stopping.signal)
  work.pausedMs = null
}

function reportFailure(work: Work, error: unknown): void {
  if (isBatuaError(error) && error.code === 'rate_limit_exceeded') {
    work.pausedMs = Math.max(error.retryAfterMs ?? DEFAULT_PAUSE_MS, MIN_PAUSE_MS)
  }
  work.onError(error)
}

async function collect(work: Work, buyer: string): Promise<boolean> {
  if (work.pausedMs !== null && !work.stopping.signal.aborted) return false
  const owing = work.records.latest(buyer).filter(tab => {
    const duePaise = capturablePaise(tab) - tab.capturedPaise
    return isEnding(tab) || duePaise >= MIN_CAPTURE_PAISE
  })
  const captures = owing.map(tab => captureTab(work, buyer, tab.authorizationId))
  return (await Promise.all(captures)).includes(true)
}

/** Captures what a buyer owes, and returns the rest of authorizations that the payer has begun to close. */
async function captureAndReturn(work: Work, buyer: string): Promise<void> {
  await work.records.updateFresh(buyer, tabs => ({ tabs, result: null }))
  await collect(work, buyer)
  for (const { authorizationId, hasEnded } of work.records.latest(buyer)) {
    if (hasEnded) continue
    await askOnce(work, buyer, authorizationId, ASK_TIMEOUT).catch(work.onError)
  }
  if (work.records.latest(buyer).some(isEnding)) await collect(work, buyer)
}

function askOnce(
  work: Work,
  buyer: string,
  authorizationId: string,
  options: CallOptions,
): Promise<AskedAuthorization> {
  const known = work.asking.get(authorizationId)
  if (known !== undefined) return known
  const asked = ask(work, buyer, authorizationId, options).finally(() => work.asking.delete(authorizationId))
  work.asking.set(authorizationId, asked)
  return asked
}

async function ask(
  work: Work,
  buyer: string,
  authorizationId: string,
  options: CallOptions,
): Promise<AskedAuthorization> {
  const asked = await askAuthorization(work.client, authorizationId, work.now, options)
  work.aheadMs = asked.aheadMs
  await changeTab(work, buyer, authorizationId, tabs => checkedTab(tabs, asked, asked.askedAt))
  return asked
}

/** Captures what was served; true if something was. Callers at the same time share one capture. It never throws. */
function captureTab(work: Work, buyer: string, authorizationId: string): Promise<boolean> {
  const running = work.capturing.get(authorizationId)
  if (running !== undefined) return running
  const capture = captureNow(work, buyer, authorizationId)
    .catch(error => notCaptured(work, buyer, authorizationId, error))
    .finally(() => work.capturing.delete(authorizationId))
  work.capturing.set(authorizationId, capture)
  return capture
}

async function captureNow(work: Work, buyer: string, authorizationId: string): Promise<boolean> {
  const { client, now } = work
  // Stored first: after a crash the store must not count less than was captured. From then on no process accepts
  // a call, so the result is all that can still be captured.
  let tab = await changeTab(work, buyer, authorizationId, tabs =>
    closingTab(tabs, authorizationId, each => now() + work.aheadMs >= each.expiresAt),
  )
  if (tab === null || tab.hasEnded) return false
  let isCaptured = false
  const totalPaise = capturablePaise(tab)
  const duePaise = totalPaise - tab.capturedPaise
  if (duePaise > 0n && (tab.isClosing || duePaise >= MIN_CAPTURE_PAISE)) {
    const askedAt = now()
    const input = { authorization_id: authorizationId, voucher: tab.voucher, total: rupeesNumber(totalPaise) }
    const { captured, status } = await client.captureAuthorization(input, {
      ...ASK_TIMEOUT,
      idempotencyKey: null,
    })
    const { amountPaise, expiresAt } = tab
    const capturedPaise = paiseFromRupees(captured)
    const state = { authorizationId, amountPaise, capturedPaise, expiresAt, isOpen: status === 'open' }
    tab = await changeTab(work, buyer, authorizationId, tabs => checkedTab(tabs, state, askedAt))
    isCaptured = true
    work.queues.wake(buyer)
  }
  if (tab !== null && tab.isClosing) await end(work, buyer, tab)
  return isCaptured
}

/** The tab after a change of what is stored now; null if it is forgotten. */
function changeTab(
  { records }: Work,
  buyer: string,
  authorizationId: string,
  change: (tabs: BuyerTabs) => BuyerTabs,
): Promise<Tab | null> {
  return records.updateFresh(buyer, before => {
    const tabs = change(before)
    return { tabs, result: tabs.find(each => each.authorizationId === authorizationId) ?? null }
  })
}

/** Returns the rest to the payer, once no more calls can arrive. */
async function end(work: Work, buyer: string, tab: Tab): Promise<void> {
  const { authorizationId } = tab
  if (tab.open.length > 0 || capturablePaise(tab) > tab.capturedPaise) return
  await work.client
    .closeAuthorization({ authorization_id: authorizationId }, ASK_TIMEOUT)
    .catch((error: unknown) => {
      if (!isEnded(error)) throw error
    })
  await noteEnd(work, buyer, authorizationId)
}

/** Notes that an authorization has ended, and reports what was not captured. */
async function noteEnd(
  { records, now, onError }: Work,
  buyer: string,
  authorizationId: string,
): Promise<void> {
  const lostPaise = await records.updateFresh(buyer, tabs => {
    const tab = tabs.find(each => each.authorizationId === authorizationId)
    return {
      tabs: endedTab(tabs, authorizationId, now()),
      result: tab === undefined ? 0n : countedPaise(tab) - tab.capturedPaise,
    }
  })
  if (lostPaise > 0n) {
    onError(new Error(`${authorizationId} has ended, and ${rupeesText(lostPaise)} INR were not captured`))
  }
}

function isEnded(error: unknown): boolean {
  return isBatuaError(error) && (error.code === 'conflict' || error.code === 'not_found')
}

/** After a refusal the service is asked for the rest; after a failure the next captureDue tries again. */
async function notCaptured(
  work: Work,
  buyer: string,
  authorizationId: string,
  error: unknown,
): Promise<boolean> {
  try {
    if (!isBatuaError(error) || !['conflict', 'policy_denied', 'not_found'].includes(error.code)) throw error
    if (error.code === 'policy_denied') {
      // The payer or this payee is stopped: no call is served until that has changed.
      await changeTab(work, buyer, authorizationId, tabs => closingTab(tabs, authorizationId, () => true))
      throw error
    }
    const { hasEnded } = await askOnce(work, buyer, authorizationId, ASK_TIMEOUT)
    if (!hasEnded) throw error
    await noteEnd(work, buyer, authorizationId)
  } catch (cause) {
    reportFailure(work, cause)
  }
  return false
}
