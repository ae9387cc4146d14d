import { type Paise, paiseFromRupees } from '../protocol/amount.ts'
import type { SigningKey } from '../protocol/ed25519.ts'
import { isServed } from '../protocol/messages.ts'

/** An authorization that a buyer spends by vouchers. Only this process has its key. */
export interface BuyerTab {
  readonly authorizationId: string
  /** Its entry in the journal. */
  readonly purchaseId: string
  readonly token: string
  readonly key: SigningKey
  /** The seller's origin and payee. */
  readonly origin: string
  readonly host: string
  readonly payTo: string
  readonly amountPaise: Paise
  /** Unix milliseconds of this machine's clock. */
  readonly expiresAt: number
  /** The cost of the calls that were served or may have been served. */
  countedPaise: Paise
  /** The prices of the calls in progress, and their number. */
  openPaise: Paise
  openCalls: number
  /** The largest amount of all vouchers. */
  signedPaise: Paise
  /** The seller's nonces for the next vouchers. */
  nonces: string[]
  lastUsedAt: number
  /** How often in a row the seller has refused a voucher at its own price. */
  refusals: number
  isRetired: boolean
}

/** No voucher is signed this long before an authorization closes. */
const CLOSES_SOON_MS = 30_000
const MAX_NONCES = 256

/** Whether a call at this price can be paid by the authorization. */
export function hasRoom(tab: BuyerTab, pricePaise: Paise, now: number): boolean {
  const { amountPaise, countedPaise, openPaise, expiresAt, isRetired } = tab
  if (isRetired || now >= expiresAt - CLOSES_SOON_MS) return false
  return countedPaise + openPaise + pricePaise <= amountPaise
}

/** Begins a call: returns the amount that its voucher is signed for. Calls may arrive at the seller in any order. */
export function beginCall(tab: BuyerTab, pricePaise: Paise, now: number): Paise {
  const amountPaise = tab.countedPaise + tab.openPaise + pricePaise
  tab.openPaise += pricePaise
  tab.openCalls += 1
  tab.lastUsedAt = now
  if (amountPaise > tab.signedPaise) tab.signedPaise = amountPaise
  return amountPaise
}

/** How a call ended: by a status and the seller's total; null: no response came. */
export interface CallEnd {
  readonly status: number
  /** null: the response names none. */
  readonly total: string | null
}

/**
 * Ends a call. What may have been served counts until the seller says that it was not. No total of the seller raises
 * what is counted here, so it is never paid more than it asked for.
 */
export function endCall(tab: BuyerTab, pricePaise: Paise, end: CallEnd | null, now: number): void {
  tab.openPaise -= pricePaise
  tab.openCalls -= 1
  tab.lastUsedAt = now
  const totalPaise = end === null ? null : paiseIn(end.total)
  const isRefused = end?.status === 402
  // Without a total the response may be that of a proxy behind which the call was served.
  const mayCount = end === null || (totalPaise === null ? !isRefused : isServed(end.status) && !isRefused)
  if (mayCount) tab.countedPaise += pricePaise
  // With other calls in progress the total may be older or newer than what is known here.
  if (totalPaise !== null && tab.openCalls === 0 && totalPaise < tab.countedPaise)
    tab.countedPaise = totalPaise
}

/** Keeps a nonce for a later voucher. */
export function keepNonce(tab: BuyerTab, nonce: string): void {
  tab.nonces.push(nonce)
  if (tab.nonces.length > MAX_NONCES) tab.nonces.shift()
}

function paiseIn(total: string | null): Paise | null {
  try {
    return total === null ? null : paiseFromRupees(total)
  } catch {
    return null
  }
}

/** The least fee of the service, and the part of an amount that it is beyond that. */
const MIN_FEE_PAISE = 100n
const FEE_DIVISOR = 200n

/**
 * Whether an authorization is cheaper than single payments: each of those costs the least fee, as long as the price is
 * small, and the authorization costs it once. One of which a second call cannot be paid is not.
 */
export function isCheaper(pricePaise: Paise, amountPaise: Paise): boolean {
  return pricePaise < MIN_FEE_PAISE * FEE_DIVISOR && 2n * pricePaise <= amountPaise
}
