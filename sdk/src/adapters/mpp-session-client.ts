import { type Buyer, REAL_TIME } from '../buyer/buyer.ts'
import { type BuyerTab, beginCall, endCall, hasRoom } from '../buyer/buyer-tab.ts'
import type { PayingFetchOptions } from '../buyer/options.ts'
import { ownServiceOf } from '../buyer/own-service.ts'
import { openBuyer } from '../buyer/paying-fetch.ts'
import { closeTab, createTabOpening, type TabOrder } from '../buyer/tab-openings.ts'
import { hostOf, originOf, type TabTerms, tabTermsOf } from '../buyer/terms.ts'
import type { Paise } from '../protocol/amount.ts'
import { credentialFor, RECEIPT_HEADER, totalInReceipt, voucherInCredential } from '../protocol/mpp.ts'
import { signVoucher } from '../protocol/vouchers.ts'
import {
  createAskedPrices,
  type MppChallenge,
  nonceOf,
  orderIn,
  paramsOf,
  sentBy,
} from './mpp-credentials.ts'
import { SESSION_METHOD, type SessionMethod } from './mpp-schema.ts'
import { ANY_AMOUNT, refused } from './purchases.ts'

export interface SessionClientOptions
  extends Omit<PayingFetchOptions, 'maxAmount' | 'allowHttp' | 'approval' | 'tab' | 'payment'> {
  /** The maximum price of one call, INR; absent: what the owner allows. */
  readonly maxAmount?: PayingFetchOptions['maxAmount']
  /** `amount` of one authorization, and how many may be open at once at one host. */
  readonly tab: NonNullable<PayingFetchOptions['tab']>
}

/** What mppx's client needs of a method. */
export interface SessionClient extends SessionMethod {
  /** A `fetch` for mppx's client, which reports to this method what the seller counts. */
  fetch(fetch?: typeof globalThis.fetch): typeof globalThis.fetch
  createCredential(context: { readonly challenge: MppChallenge }): Promise<string>
  /** Closes what is open and no call uses, so that what was not spent comes back. Never throws. */
  close(): Promise<void>
}

interface CallInProgress {
  readonly tab: BuyerTab
  readonly pricePaise: Paise
}

/**
 * The intent `session` for the unmodified client of MPP, like `chargeClient`: an authorization is opened at the first
 * call and spent by vouchers, one a call.
 *
 *     const session = sessionClient({ client, tab: { amount: 20 } })
 *     const mppx = Mppx.create({ methods: [session], fetch: session.fetch() })
 *
 * Without `session.fetch()` each call counts as served, and `realm` and payee alone distinguish sellers. What is not
 * closed comes back an hour later. Throws a TypeError or RangeError for invalid options.
 */
export function sessionClient({ maxAmount = ANY_AMOUNT, ...options }: SessionClientOptions): SessionClient {
  const buyer = openBuyer({ ...options, maxAmount, allowHttp: true }, REAL_TIME)
  const isOwnService = ownServiceOf(options)
  const terms = tabTermsOf({ ...options, maxAmount })
  if (terms === null) throw new TypeError('tab is { amount }, the amount of one authorization')
  const asked = createAskedPrices()
  const calls = createCalls(buyer, terms)

  return {
    ...SESSION_METHOD,
    fetch:
      (fetch = globalThis.fetch) =>
      async (input, init) => {
        const { address, credential } = sentBy(input, init)
        const proof = voucherInCredential(credential)
        let response: Response | null = null
        try {
          response = await fetch(input, init)
          asked.note(response, address, proof !== null)
          return response
        } finally {
          if (proof !== null) calls.end(proof.nonce, response)
        }
      },
    async createCredential({ challenge }) {
      const nonce = nonceOf(challenge)
      const known = asked.find(nonce)
      const { order, url } = await orderIn(buyer, isOwnService, challenge, known)
      const place = known === undefined ? { origin: challenge.realm, host: challenge.realm } : placeOf(url)
      const tab = await calls.tabFor({ ...order, ...place, payeeId: null })
      if (tab === null)
        throw refused(url, 'budget_exceeded', 'No money could be set aside for this seller now', nonce)
      const fromAgent = await buyer.agentId(undefined)
      const amountPaise = calls.begin(nonce, tab, order.amountPaise)
      if (amountPaise === null)
        throw refused(url, 'invalid_challenge', 'Another call in progress has this nonce', nonce)
      try {
        const { authorizationId, token: authorization, key } = tab
        const voucher = await signVoucher(key, { authorizationId, amountPaise, nonce })
        return credentialFor(paramsOf(challenge), { version: 1, authorization, voucher, fromAgent, nonce })
      } finally {
        if (known === undefined) calls.end(nonce, null)
      }
    },
    close: calls.close,
  }
}

/** The authorizations of a session, and the calls that they pay for. */
function createCalls(buyer: Buyer, terms: TabTerms) {
  const tabs = new Set<BuyerTab>()
  const calls = new Map<string, CallInProgress>()
  const opening = createTabOpening(buyer, terms, {
    openAt: host => [...tabs].filter(tab => tab.host === host).length,
    add: tab => tabs.add(tab),
  })
  const now = () => buyer.time.now()

  async function closeUnused(isDue: (tab: BuyerTab) => boolean): Promise<void> {
    const due = [...tabs].filter(tab => tab.openCalls === 0 && isDue(tab))
    for (const tab of due) tab.isRetired = true
    await Promise.all(
      due.map(async tab => {
        if (await closeTab(buyer, tab)) tabs.delete(tab)
      }),
    )
  }

  return {
    /** An authorization with enough left for the price, opened now if there is none; null: none could be opened. */
    async tabFor(order: TabOrder): Promise<BuyerTab | null> {
      const isOf = (tab: BuyerTab) => tab.origin === order.origin && tab.payTo === order.payTo
      const open = [...tabs].find(tab => isOf(tab) && hasRoom(tab, order.amountPaise, now()))
      if (open !== undefined) return open
      for (const tab of tabs) if (isOf(tab)) tab.isRetired = true
      await closeUnused(tab => tab.isRetired)
      const opened = await opening(order, undefined)
      return opened !== null && hasRoom(opened, order.amountPaise, now()) ? opened : null
    },
    /**
     * Begins a call; returns the amount that its voucher is signed for; null: a call in progress has the same nonce, so
     * the response could not be assigned to one of the two.
     */
    begin(nonce: string, tab: BuyerTab, pricePaise: Paise): Paise | null {
      if (calls.has(nonce)) return null
      calls.set(nonce, { tab, pricePaise })
      return beginCall(tab, pricePaise, now())
    },
    /** Ends a call once, by its response or without one. */
    end(nonce: string, response: Response | null): void {
      const call = calls.get(nonce)
      calls.delete(nonce)
      const total = totalInReceipt(response?.headers.get(RECEIPT_HEADER) ?? null)
      if (call !== undefined)
        endCall(call.tab, call.pricePaise, response && { status: response.status, total }, now())
    },
    close: () => closeUnused(() => true),
  }
}

function placeOf(url: URL) {
  return { origin: originOf(url), host: hostOf(url) }
}
