import { type Buyer, REAL_TIME } from '../buyer/buyer.ts'
import { decideChallenge } from '../buyer/decide-challenge.ts'
import type { PayingFetchOptions } from '../buyer/options.ts'
import { openBuyer } from '../buyer/paying-fetch.ts'
import { rupeesText } from '../protocol/amount.ts'
import type { AuthorizationProof, PaymentProof } from '../protocol/messages.ts'
import { isFields, isFinal, offersIn, railOf, type Scheme } from '../protocol/x402.ts'
import { ANY_AMOUNT, createPurchases, type PricedOrder, type PurchaseEnd, refused } from './purchases.ts'

/** The options of `exactClient` and `uptoClient`. */
export interface ExactClientOptions
  extends Omit<PayingFetchOptions, 'maxAmount' | 'allowHttp' | 'approval' | 'identity' | 'tab'> {
  /** The maximum price of one call, INR, without the fee; absent: what x402's `spendControls` and the owner allow. */
  readonly maxAmount?: PayingFetchOptions['maxAmount']
}

/** What x402's client needs of a scheme. */
export interface X402SchemeClient<Name extends Scheme> {
  readonly scheme: Name
  readonly schemeHooks: {
    onBeforePaymentCreation(context: {
      readonly paymentRequired: object
      readonly selectedRequirements: object
    }): Promise<void>
    onPaymentResponse(context: PaymentResponse): Promise<void>
  }
  createPaymentPayload(
    x402Version: number,
    requirements: object,
  ): Promise<{ readonly x402Version: number; readonly payload: Record<string, unknown> }>
}

export type ExactClient = X402SchemeClient<'exact'>
export type UptoClient = X402SchemeClient<'upto'>

interface PaymentResponse {
  readonly paymentPayload: { readonly payload: object }
  readonly settleResponse?: object
  readonly paymentRequired?: object
}

/**
 * The scheme `exact` for the unmodified client of x402 (`@x402/fetch`, `@x402/axios`):
 *
 *     const x402 = new x402Client().register('batua:inr', exactClient({ client, journal }))
 *     x402.setSpendControls({ allowedAssets: [{ network: 'batua:inr', asset: 'INR' }] })
 *
 * The journal records each purchase before money moves: if the seller's response is lost, the next call for the same
 * resource at the same price presents the same payment, where x402's client by itself would pay again. What identifies
 * the resource is the address in the seller's own price, so a price that a web site passes on from another seller is
 * not recognised, as `payingFetch` does by the payee's origins: name `payees`. With the flow `authorization` the price
 * is set aside, and paid once the seller captures it: a request that fails costs nothing. Throws a TypeError or
 * RangeError for invalid options.
 */
export function exactClient(options: ExactClientOptions): ExactClient {
  return createSchemeClient('exact', options)
}

/**
 * The scheme `upto`, like `exactClient`: the price is the most that the seller captures. It is set aside with its fee,
 * and what is not captured goes back. Budgets count the whole price.
 */
export function uptoClient(options: ExactClientOptions): UptoClient {
  return createSchemeClient('upto', options)
}

function createSchemeClient<Name extends Scheme>(
  scheme: Name,
  { maxAmount = ANY_AMOUNT, ...options }: ExactClientOptions,
): X402SchemeClient<Name> {
  const { service } = railOf(options.client, options)
  const buyer = openBuyer({ ...options, maxAmount, allowHttp: true }, REAL_TIME)
  /** The resource of a price, which the client gives apart from it. */
  const resources = new WeakMap<object, URL>()
  const purchases = createPurchases(buyer)

  async function pay(requirements: object): Promise<PaymentProof | AuthorizationProof> {
    const url = resources.get(requirements) ?? new URL('about:blank')
    const order = orderFor(buyer, requirements, url, { service, scheme })
    const { payTo, amountPaise, setAsideSeconds } = order
    // A payment and an authorization are shown differently, so one does not continue as the other.
    const flow = setAsideSeconds === null ? [] : [scheme, 'authorization']
    return purchases.pay(order, url, ['x402', url.href, payTo, rupeesText(amountPaise), ...flow])
  }

  return {
    scheme,
    schemeHooks: {
      async onBeforePaymentCreation({ paymentRequired, selectedRequirements }) {
        const { resource } = paymentRequired as { readonly resource?: unknown }
        const address = isFields(resource) ? String(resource['url']) : ''
        if (URL.canParse(address)) resources.set(selectedRequirements, new URL(address))
      },
      async onPaymentResponse({ paymentPayload, settleResponse, paymentRequired }) {
        const { nonce = '' } = paymentPayload.payload as { readonly nonce?: string }
        const end = endOf(settleResponse, paymentRequired)
        if (end !== null) await purchases.finish(nonce, end)
      },
    },
    async createPaymentPayload(x402Version, requirements) {
      return { x402Version, payload: { ...(await pay(requirements)) } }
    },
  }
}

/** How a purchase ended, by what the seller says; null: it may still be served. */
function endOf(settlement: object | undefined, required: object | undefined): PurchaseEnd | null {
  if (isFields(settlement) && settlement['success'] === true) {
    // The settlement of a failed request is its refund.
    return String(settlement['transaction']).startsWith('rfd_') ? 'not_served' : 'served'
  }
  return isFinal(settlement ?? required) ? 'not_served' : null
}

function orderFor(
  { terms }: Buyer,
  requirements: object,
  url: URL,
  { service, scheme }: { readonly service: string; readonly scheme: Scheme },
): PricedOrder {
  const offer = offersIn({ accepts: [requirements] }).find(each => each.scheme === scheme)
  if (offer === undefined) throw refused(url, 'invalid_challenge', 'The seller’s price cannot be read')
  if (offer.service !== service) {
    const message = `This is paid at ${offer.service}, and this wallet is at ${service}`
    throw refused(url, 'invalid_challenge', message, offer.challenge.nonce)
  }
  const facts = { challenge: offer.challenge, askedUrl: url, finalUrl: url, isBodyRepeatable: true, terms }
  const order = decideChallenge(facts)
  if (order.kind === 'refusal') throw refused(url, order.code, order.message, offer.challenge.nonce)
  return { ...order, setAsideSeconds: offer.setAsideSeconds }
}
