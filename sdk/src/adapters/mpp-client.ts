import { REAL_TIME } from '../buyer/buyer.ts'
import type { PayingFetchOptions } from '../buyer/options.ts'
import { ownServiceOf } from '../buyer/own-service.ts'
import { openBuyer } from '../buyer/paying-fetch.ts'
import { isServed } from '../protocol/messages.ts'
import { credentialFor, proofInCredential } from '../protocol/mpp.ts'
import {
  createAskedPrices,
  type MppChallenge,
  nonceOf,
  orderIn,
  paramsOf,
  sentBy,
} from './mpp-credentials.ts'
import { CHARGE_METHOD, type ChargeMethod } from './mpp-schema.ts'
import { ANY_AMOUNT, createPurchases, refused } from './purchases.ts'

export interface ChargeClientOptions
  extends Omit<PayingFetchOptions, 'maxAmount' | 'allowHttp' | 'approval' | 'identity' | 'tab'> {
  /** The maximum price of one call, INR, without the fee; absent: what the owner allows. */
  readonly maxAmount?: PayingFetchOptions['maxAmount']
}

/** What mppx's client needs of a method. */
export interface ChargeClient extends ChargeMethod {
  /** A `fetch` for mppx's client, which reports to this method how its payments ended. */
  fetch(fetch?: typeof globalThis.fetch): typeof globalThis.fetch
  createCredential(context: { readonly challenge: MppChallenge }): Promise<string>
}

/**
 * The method `batua` with the intent `charge` for the unmodified client of MPP (`mppx/client`):
 *
 *     const charge = chargeClient({ client, journal })
 *     const mppx = Mppx.create({ methods: [charge], fetch: charge.fetch() })
 *     const response = await mppx.fetch('https://weather.example/today')
 *
 * With `charge.fetch()` the journal also covers calls of mppx: if the seller's response is lost, the next call for
 * the same resource at the same price presents the same payment, and a payment that was refused is not followed by a
 * second one in the same call. Without it mppx reports no response, and each challenge is a new purchase. A
 * price that a web site passes on from another seller is not recognised: name `payees`, or use `payingFetch`. Throws a
 * TypeError or RangeError for invalid options.
 */
export function chargeClient({ maxAmount = ANY_AMOUNT, ...options }: ChargeClientOptions): ChargeClient {
  const buyer = openBuyer({ ...options, maxAmount, allowHttp: true }, REAL_TIME)
  const isOwnService = ownServiceOf(options)
  const purchases = createPurchases(buyer)
  const asked = createAskedPrices()

  return {
    ...CHARGE_METHOD,
    fetch:
      (fetch = globalThis.fetch) =>
      async (input, init) => {
        const { address, credential } = sentBy(input, init)
        const proof = proofInCredential(credential)
        const response = await fetch(input, init)
        asked.note(response, address, proof !== null)
        if (proof !== null && isServed(response.status))
          await purchases.finish(proof.nonce, response.status === 402 ? 'not_served' : 'served')
        return response
      },
    async createCredential({ challenge }) {
      const nonce = nonceOf(challenge)
      const known = asked.find(nonce)
      const { order, charge, url } = await orderIn(buyer, isOwnService, challenge, known)
      if (known?.isRefusal === true)
        throw refused(url, 'payment_not_accepted', 'The seller does not take the payment', nonce)
      const { amount, payTo } = charge.challenge
      const key = ['mpp', challenge.realm, charge.resource, payTo, amount]
      const proof = await purchases.pay({ ...order, setAsideSeconds: null }, url, key)
      if (known === undefined) await purchases.finish(proof.nonce, 'served')
      if (!('transactionId' in proof)) throw new TypeError('a charge is paid before the request')
      return credentialFor(paramsOf(challenge), proof)
    },
  }
}
