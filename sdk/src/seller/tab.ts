import type { Paise } from '../protocol/amount.ts'
import { issuedAtOf } from './nonce.ts'

/** A call that was accepted and has not ended. */
export interface OpenCall {
  readonly nonce: string
  readonly paise: Paise
  /** Whether the head of a response that serves it was written. */
  readonly hasResponse: boolean
  /** Unix milliseconds. */
  readonly at: number
}

/** An authorization whose vouchers a seller takes. */
export interface Tab {
  readonly authorizationId: string
  readonly amountPaise: Paise
  /** When it begins to close by itself, Unix milliseconds of the service's clock. */
  readonly expiresAt: number
  /** The voucher with the largest amount. */
  readonly voucher: string
  readonly voucherPaise: Paise
  /** The prices of all calls that were served to their end. */
  readonly servedPaise: Paise
  readonly capturedPaise: Paise
  readonly open: readonly OpenCall[]
  /** Nonces that responses have given out and no call has used. */
  readonly next: readonly string[]
  /** Nonces of a 402 that were used, and the time of the newest that was forgotten. */
  readonly used: readonly string[]
  readonly forgottenAt: number
  /** The payer has begun to close it, or cannot pay now: it is captured from and refused. */
  readonly isClosing: boolean
  /** It has ended. It is remembered for a while, so that no process takes it for open by what it learnt before. */
  readonly hasEnded?: true
  /** When the service last said that it is open, Unix milliseconds. */
  readonly checkedAt: number
  /** When something was last captured, or it was first seen. */
  readonly capturedAt: number
}

/** All that a seller keeps about one buyer. */
export type BuyerTabs = readonly Tab[]

/** What the seller counts, and says: the calls that were served, or whose response has begun. */
export function countedPaise({ servedPaise, open }: Tab): Paise {
  return open.reduce((sum, { paise, hasResponse }) => (hasResponse ? sum + paise : sum), servedPaise)
}

/** The same with every call that was let in. */
function reservedPaise({ servedPaise, open }: Tab): Paise {
  return open.reduce((sum, { paise }) => sum + paise, servedPaise)
}

/** What the seller would lose if it could not capture any more. */
export function uncapturedPaise(tab: Tab): Paise {
  return reservedPaise(tab) - tab.capturedPaise
}

/** The total that can be captured: calls that were served completely and were not refunded since. */
export function capturablePaise({ servedPaise, voucherPaise }: Tab): Paise {
  return servedPaise < voucherPaise ? servedPaise : voucherPaise
}

/** A call with a voucher, verified but for its place among the others. */
export interface VoucherCall {
  readonly authorizationId: string
  readonly voucher: string
  readonly voucherPaise: Paise
  readonly pricePaise: Paise
  readonly nonce: string
  /** When the nonce was issued if it is that of a 402; null: a response gave it out. */
  readonly askedAt: number | null
  /** The nonce that the response gives out. */
  readonly nextNonce: string
  readonly now: number
  readonly maxOutstandingPaise: Paise
}

export type TakeRefusal =
  | 'unknown'
  | 'authorization_not_open'
  | 'nonce_not_ours'
  | 'nonce_already_used'
  | 'nonce_expired'
  | 'insufficient_amount'
  /** The buyer owes as much as it may: capture first. */
  | 'outstanding'

/** The limits of open calls (further ones wait) and of remembered nonces, of which the oldest are dropped first. */
const MAX_OPEN = 1_000
const MAX_NEXT = 256
const MAX_USED = 64

/** Lets a call in if the largest voucher covers it and its nonce is new; its price counts as owed from then on. */
export function takeCall(tabs: BuyerTabs, call: VoucherCall): BuyerTabs | TakeRefusal {
  const tab = tabs.find(({ authorizationId }) => authorizationId === call.authorizationId)
  if (tab === undefined) return 'unknown'
  const refusal = decideNonce(tab, call)
  if (refusal !== null) return refusal
  if (tab.isClosing) return 'authorization_not_open'
  const isLarger = call.voucherPaise > tab.voucherPaise
  const voucherPaise = isLarger ? call.voucherPaise : tab.voucherPaise
  if (reservedPaise(tab) + call.pricePaise > voucherPaise) return 'insufficient_amount'
  const owedPaise = tabs.reduce((sum, each) => sum + uncapturedPaise(each), 0n)
  if (owedPaise + call.pricePaise > call.maxOutstandingPaise || tab.open.length >= MAX_OPEN)
    return 'outstanding'
  const opened = { nonce: call.nonce, paise: call.pricePaise, hasResponse: false, at: call.now }
  return replaced(tabs, {
    ...withNonces(tab, call),
    ...(isLarger ? { voucher: call.voucher, voucherPaise } : {}),
    open: [...tab.open, opened],
  })
}

function decideNonce(tab: Tab, { nonce, askedAt }: VoucherCall): TakeRefusal | null {
  if (askedAt === null) return tab.next.includes(nonce) ? null : 'nonce_already_used'
  if (tab.used.includes(nonce)) return 'nonce_already_used'
  return askedAt <= tab.forgottenAt ? 'nonce_expired' : null
}

function withNonces(tab: Tab, { nonce, askedAt, nextNonce }: VoucherCall): Tab {
  const next = [...tab.next.filter(each => each !== nonce), nextNonce].slice(-MAX_NEXT)
  if (askedAt === null) return { ...tab, next }
  // Nonces of a 402 begin with their time, so the first in order is the oldest.
  const used = [...tab.used, nonce].toSorted()
  if (used.length <= MAX_USED) return { ...tab, next, used }
  const [oldest = '', ...younger] = used
  return { ...tab, next, used: younger, forgottenAt: Math.max(tab.forgottenAt, issuedAtOf(oldest) ?? 0) }
}

/** A response to a call begins: it is counted if it serves it, and otherwise forgotten. */
export function noteResponse(tabs: BuyerTabs, call: CallRef, isServed: boolean): BuyerTabs {
  return changeCall(tabs, call, open => (isServed ? { ...open, hasResponse: true } : null))
}

/** A response has ended. One that failed after it had begun is not counted. */
export function finishCall(tabs: BuyerTabs, call: CallRef, isServed: boolean): BuyerTabs {
  const tab = tabs.find(({ authorizationId }) => authorizationId === call.authorizationId)
  const open = tab?.open.find(({ nonce }) => nonce === call.nonce)
  if (tab === undefined || open === undefined) return tabs
  const rest = tab.open.filter(each => each !== open)
  const servedPaise = isServed ? tab.servedPaise + open.paise : tab.servedPaise
  return replaced(tabs, { ...tab, open: rest, servedPaise })
}

/** A call that was let in. */
export interface CallRef {
  readonly authorizationId: string
  readonly nonce: string
}

function changeCall(
  tabs: BuyerTabs,
  { authorizationId, nonce }: CallRef,
  change: (open: OpenCall) => OpenCall | null,
): BuyerTabs {
  return tabs.map(tab => {
    if (tab.authorizationId !== authorizationId) return tab
    return { ...tab, open: tab.open.flatMap(each => (each.nonce === nonce ? (change(each) ?? []) : each)) }
  })
}

/** What the service says of an authorization. */
export interface AuthorizationState {
  readonly authorizationId: string
  readonly amountPaise: Paise
  readonly capturedPaise: Paise
  readonly expiresAt: number
  readonly isOpen: boolean
}

/** A buyer that has several authorizations at once needs few; a settled one is found again at the service. */
const MAX_TABS = 20
/**
 * Longer than any process relies on an earlier response of the service: otherwise it would take an ended one for open.
 */
const ENDED_FOR_MS = 60_000

/**
 * Begins to take vouchers of an authorization that the service has found open at `now`, unless it is known. Null: the
 * buyer owes for as many as it may have.
 */
export function withTab(tabs: BuyerTabs, state: AuthorizationState, now: number): BuyerTabs | null {
  const { authorizationId, amountPaise, capturedPaise, expiresAt } = state
  if (tabs.some(each => each.authorizationId === authorizationId)) return tabs
  const mayGo = (tab: Tab) => isSettled(tab) && !(tab.hasEnded && tab.capturedAt > now - ENDED_FOR_MS)
  const settled = tabs.length < MAX_TABS ? null : tabs.find(mayGo)
  if (settled === undefined) return null
  // Everything captured before was served, even if this process does not know the calls.
  const served = { servedPaise: capturedPaise, capturedPaise, voucherPaise: capturedPaise, voucher: '' }
  const times = { expiresAt, checkedAt: now, capturedAt: now, forgottenAt: 0 }
  const none = { open: [], next: [], used: [], isClosing: false }
  const rest = tabs.filter(each => each !== settled)
  return [...rest, { authorizationId, amountPaise, ...served, ...none, ...times }]
}

/** No call is open, and no money is lost if the tab is forgotten. */
function isSettled(tab: Tab): boolean {
  return tab.open.length === 0 && !isEnding(tab) && uncapturedPaise(tab) <= 0n
}

/** Whether it is closing, and has not ended. */
export function isEnding({ isClosing, hasEnded }: Tab): boolean {
  return isClosing && hasEnded !== true
}

/** Forgets tabs that are settled and were not used since. Returns the same tabs if there are none. */
export function withoutSettledTabs(tabs: BuyerTabs, before: number): BuyerTabs {
  const rest = tabs.filter(tab => !isSettled(tab) || tab.checkedAt >= before || tab.capturedAt >= before)
  return rest.length === tabs.length ? tabs : rest
}

/** Notes what the service says of an authorization. */
export function checkedTab(tabs: BuyerTabs, state: AuthorizationState, now: number): BuyerTabs {
  const { authorizationId, capturedPaise, isOpen } = state
  const known = tabs.find(each => each.authorizationId === authorizationId)
  if (known === undefined) return tabs
  return replaced(tabs, {
    ...known,
    ...(capturedPaise > known.capturedPaise ? { capturedPaise, capturedAt: now } : {}),
    servedPaise: known.servedPaise < capturedPaise ? capturedPaise : known.servedPaise,
    ...(isOpen ? { checkedAt: now } : {}),
    isClosing: known.isClosing || !isOpen,
  })
}

/** Lets in no more calls of an authorization that has to close. The same tabs if it need not, or is closing. */
export function closingTab(
  tabs: BuyerTabs,
  authorizationId: string,
  hasToClose: (tab: Tab) => boolean,
): BuyerTabs {
  const tab = tabs.find(each => each.authorizationId === authorizationId)
  if (tab === undefined || tab.isClosing || !hasToClose(tab)) return tabs
  return replaced(tabs, { ...tab, isClosing: true })
}

/** An answered call of a killed process counts this much earlier, while it can still be captured. */
const RESPONDED_SOONER_MS = 7 * 60_000

/** Ends calls that a process could not end: one without a report for so long counts if it was answered. */
export function withoutOldCalls(
  tabs: BuyerTabs,
  before: number,
  isInProgress: (nonce: string) => boolean = () => false,
): BuyerTabs {
  const old = tabs.flatMap(({ authorizationId, open }) =>
    open
      .filter(({ at, nonce, hasResponse }) => {
        return at < before + (hasResponse ? RESPONDED_SOONER_MS : 0) && !isInProgress(nonce)
      })
      .map(({ nonce, hasResponse }) => ({ authorizationId, nonce, hasResponse })),
  )
  return old.reduce((all, { hasResponse, ...call }) => finishCall(all, call, hasResponse), tabs)
}

/** An authorization has ended: nothing of it counts any more. */
export function endedTab(tabs: BuyerTabs, authorizationId: string, now: number): BuyerTabs {
  return tabs.map(tab => {
    if (tab.authorizationId !== authorizationId) return tab
    const rest = { open: [], next: [], used: [], servedPaise: tab.capturedPaise }
    return { ...tab, ...rest, isClosing: true, hasEnded: true, capturedAt: now }
  })
}

function replaced(tabs: BuyerTabs, changed: Tab): BuyerTabs {
  return tabs.map(tab => (tab.authorizationId === changed.authorizationId ? changed : tab))
}

/** As JSON, amounts in paise as digits. */
export function textOfTabs(tabs: BuyerTabs): string {
  return JSON.stringify(tabs, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}p` : value))
}

/** The tabs in a text of `textOfTabs`. */
export function tabsInText(text: string): BuyerTabs {
  const revived: unknown = JSON.parse(text, (_name, value: unknown) =>
    typeof value === 'string' && /^-?[0-9]+p$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  )
  return revived as BuyerTabs
}

/**
 * Each question or capture says that the payer has not begun to close; it is due after this time (contract section 12).
 */
export const CHECK_EVERY_MS = 5 * 60_000
/** A check in the background comes before one that a buyer waits for. */
const CHECK_EARLY_MS = 4 * 60_000
/** The least that the service captures of an open authorization. */
export const MIN_CAPTURE_PAISE = 100n

/** The time at the seller, and of the service. */
export interface Times {
  readonly nowMs: number
  /** How far the service's clock is ahead of the seller's. */
  readonly aheadMs: number
}

/** Whether an authorization was found open within this time, and has not reached its end. */
export function isFresh(
  { isClosing, checkedAt, expiresAt }: Tab,
  { nowMs, aheadMs }: Times,
  withinMs: number,
): boolean {
  return !isClosing && Math.abs(nowMs - checkedAt) < withinMs && nowMs + aheadMs < expiresAt
}

/** What is due about a tab. */
export interface DueTab {
  readonly buyer: string
  readonly tab: Tab
  readonly what: 'capture' | 'check'
  /** Whether it is closing or has expired. */
  readonly isEnding: boolean
}

/** What is due of a buyer; captures by time are after `captureAfterMs`. */
export function dueTabsOf(
  buyer: string,
  tabs: readonly Tab[],
  { captureAfterMs, ...times }: Times & { readonly captureAfterMs: number },
): DueTab[] {
  const { nowMs, aheadMs } = times
  return tabs.flatMap((tab): DueTab[] => {
    if (tab.hasEnded) return []
    const isOld = nowMs - tab.capturedAt >= captureAfterMs
    const isEnding = tab.isClosing || nowMs + aheadMs >= tab.expiresAt
    if (isEnding || (isOld && capturablePaise(tab) - tab.capturedPaise >= MIN_CAPTURE_PAISE))
      return [{ buyer, tab, what: 'capture', isEnding }]
    if (uncapturedPaise(tab) === 0n || isFresh(tab, times, CHECK_EARLY_MS)) return []
    return [{ buyer, tab, what: 'check', isEnding }]
  })
}

/** Closing and expired authorizations come first, then the largest debt, then the oldest one. */
export function byUrgency(one: DueTab, other: DueTab): number {
  return (
    Number(other.isEnding) - Number(one.isEnding) ||
    Number(uncapturedPaise(other.tab) - uncapturedPaise(one.tab)) ||
    one.tab.capturedAt - other.tab.capturedAt
  )
}
