import { AUTHENTICATE_HEADER, type Charge, chargesIn, credentialFor } from '../protocol/mpp.ts'
import type { ForeignProtocol, Proof } from './foreign-sellers.ts'
import type { IsOwnService } from './own-service.ts'

/** Where a seller may have the payment: in any other header it would replace what the caller sends. */
const PAYMENT_HEADERS = new Set(['authorization', 'payment-authorization'])

/** MPP, at the buyer's own service: charges by the method `batua`. */
export function mppSellers(isOwnService: IsOwnService): ForeignProtocol {
  return {
    async offerIn({ headers }) {
      for (const charge of chargesIn(headers.get(AUTHENTICATE_HEADER))) {
        if (PAYMENT_HEADERS.has(headerOf(charge)) && (await isOwnService(charge.service)))
          return { challenge: charge.challenge, setAsideSeconds: null, pay: payer(charge) }
      }
      return null
    },
    // A seller that cannot ask the service answers 503.
    isFinal: () => true,
  }
}

function headerOf({ params }: Charge): string {
  return (params['header'] ?? 'Authorization').toLowerCase()
}

function payer(charge: Charge) {
  return (headers: Headers, proof: Proof): Headers => {
    const paid = new Headers(headers)
    if ('transactionId' in proof) paid.set(headerOf(charge), credentialFor(charge.params, proof))
    return paid
  }
}
