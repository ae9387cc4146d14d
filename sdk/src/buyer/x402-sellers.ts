import { base64FromText } from '../protocol/base64.ts'
import {
  acceptedFor,
  fieldsInHeader,
  isFinal,
  type Offer,
  offersIn,
  REQUIRED_HEADER,
  RESPONSE_HEADER,
  SIGNATURE_HEADER,
} from '../protocol/x402.ts'
import type { ForeignProtocol, Proof } from './foreign-sellers.ts'
import type { IsOwnService } from './own-service.ts'

/** x402, at the buyer's own service. */
export function x402Sellers(isOwnService: IsOwnService): ForeignProtocol {
  return {
    async offerIn({ headers }, proof) {
      const required = fieldsInHeader(headers.get(REQUIRED_HEADER))
      if (required === null) return null
      for (const offer of offersIn(required)) {
        if (proof !== null && !isPaidBy(offer, proof)) continue
        if (await isOwnService(offer.service)) return { ...offer, pay: payer(offer, required['resource']) }
      }
      return null
    },
    isFinal({ headers }) {
      const refusal =
        fieldsInHeader(headers.get(RESPONSE_HEADER)) ?? fieldsInHeader(headers.get(REQUIRED_HEADER))
      return refusal === null || isFinal(refusal)
    },
  }
}

/** Whether a proof is of the kind that an offer asks for. */
function isPaidBy({ setAsideSeconds }: Offer, proof: Proof): boolean {
  return 'authorization' in proof === (setAsideSeconds !== null)
}

function payer(offer: Offer, resource: unknown) {
  return (headers: Headers, proof: Proof): Headers => {
    const accepted = acceptedFor(offer, proof.nonce)
    const payment = { x402Version: 2, resource, accepted, payload: proof }
    const paid = new Headers(headers)
    paid.set(SIGNATURE_HEADER, base64FromText(JSON.stringify(payment)))
    return paid
  }
}
