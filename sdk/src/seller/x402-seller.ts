import { base64FromText } from '../protocol/base64.ts'
import { MAX_HEADER_CHARACTERS } from '../protocol/headers.ts'
import type { AuthorizationProof, PaymentChallenge } from '../protocol/messages.ts'
import {
  fieldsInHeader,
  isFields,
  type PaymentRail,
  type PaymentRequired,
  REQUIRED_HEADER,
  RESPONSE_HEADER,
  railOf,
  requirementsOf,
  type SettlementResponse,
  SIGNATURE_HEADER,
} from '../protocol/x402.ts'
import type { SellerContext } from './context.ts'
import type { Quote } from './nonce.ts'
import type {
  AcceptedPayment,
  RefusalReason,
  SellerOptions,
  SellerRequest,
  SellerResponse,
} from './options.ts'
import type { VoucherOutcome } from './tab-seller.ts'

/** What a seller that also speaks x402 over HTTP reads and writes besides. */
export interface X402Seller {
  /** The proof in a payment of x402, as the header of pay-per-call has it; null if there is none. */
  proofIn(request: SellerRequest): string | null
  /** Takes money that is set aside for a request; undefined: it is not sold so. */
  readonly reserve: ((shown: ShownAuthorization) => Promise<VoucherOutcome>) | undefined
  /** A 402 with the price of x402 too, and why its payment was refused. */
  asking(response: SellerResponse, sale: X402Demand): SellerResponse
  /** The headers of a served response. */
  taken(payment: AcceptedPayment): Readonly<Record<string, string>>
}

export interface X402Demand {
  readonly request: SellerRequest
  readonly challenge: PaymentChallenge
  readonly description: string | null
  readonly reason: RefusalReason | null
}

/** What a buyer shows of money that is set aside for a request. */
export interface ShownAuthorization {
  readonly proof: AuthorizationProof
  readonly quote: Quote
  readonly address: string | null
}

/** Reserves what is set aside for one request, and captures it or gives it back by the status of its response. */
export type Reserve = (
  context: SellerContext,
  rail: PaymentRail,
  shown: ShownAuthorization,
) => Promise<VoucherOutcome>

/** null: x402 is not spoken. */
export function createX402Seller(
  options: Pick<SellerOptions<never>, 'client' | 'network' | 'service' | 'x402'>,
  context: SellerContext,
): X402Seller | null {
  const { x402 = false } = options
  if (x402 === false) return null
  const rail = railOf(options.client, options)
  const { network } = rail
  const setAside = x402 === true ? undefined : x402
  return {
    reserve: setAside && (shown => setAside.reserve(context, rail, shown)),
    proofIn(request) {
      const payment = fieldsInHeader(request.header(SIGNATURE_HEADER.toLowerCase()))
      if (payment === null) return null
      // The nonce is for this request at this price, so what the buyer says it accepted does not matter.
      const text = isFields(payment['payload']) ? JSON.stringify(payment['payload']) : ''
      return base64FromText(text.length <= MAX_HEADER_CHARACTERS ? text : '')
    },
    asking(response, { request, challenge, description, reason }) {
      const required: PaymentRequired = {
        x402Version: 2,
        error: reason ?? 'Payment required',
        resource: { url: addressOf(request, rail), ...(description === null ? {} : { description }) },
        accepts: [requirementsOf(challenge, rail, context.nonceTtlMs, setAside)],
      }
      const refusal =
        reason === null
          ? {}
          : { [RESPONSE_HEADER]: encoded({ success: false, errorReason: reason, transaction: '', network }) }
      const exposed = [response.headers['Access-Control-Expose-Headers'], REQUIRED_HEADER, RESPONSE_HEADER]
      const headers = {
        ...response.headers,
        [REQUIRED_HEADER]: encoded(required),
        ...refusal,
        'Access-Control-Expose-Headers': exposed.join(', '),
      }
      return { ...response, headers }
    },
    taken({ paymentId, from }) {
      const settlement = { success: true, transaction: paymentId, network, payer: from }
      return { [RESPONSE_HEADER]: encoded(settlement) }
    },
  }
}

function encoded(value: PaymentRequired | SettlementResponse): string {
  return base64FromText(JSON.stringify(value))
}

/** The address as the buyer called it; only a description. */
function addressOf(request: SellerRequest, { service }: PaymentRail): string {
  const scheme = service.startsWith('https:') ? 'https' : 'http'
  const address = `${scheme}://${request.header('host') ?? ''}${request.path}`
  return URL.canParse(address) ? address : `${scheme}://localhost${request.path}`
}
