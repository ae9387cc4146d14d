import {
  AUTHENTICATE_HEADER,
  type Charge,
  credentialFor,
  fieldsIn,
  MPP_CHARGE,
  MPP_SESSION,
  offersIn,
} from '../protocol/mpp.ts'
import { signVoucher } from '../protocol/vouchers.ts'
import type { ForeignProtocol, Proof } from './foreign-sellers.ts'
import type { IsOwnService } from './own-service.ts'
import { voucherKeyOf } from './voucher-key.ts'

/** Where a seller may have the payment: in any other header it would replace what the caller sends. */
const PAYMENT_HEADERS = new Set(['authorization', 'payment-authorization'])

/** For how long the price of a session is set aside. A voucher for it may be shown as long. */
const SET_ASIDE_S = 3_600

/**
 * MPP, at the buyer's own service: charges by the method `batua`, and sessions of sellers that take nothing else. `secret`
 * is what the keys of vouchers are made of.
 */
export function mppSellers(isOwnService: IsOwnService, secret: string): ForeignProtocol {
  return {
    async offerIn({ headers }, proof) {
      for (const intent of intentsFor(proof)) {
        for (const charge of offersIn(headers.get(AUTHENTICATE_HEADER), intent)) {
          if (!PAYMENT_HEADERS.has(headerOf(charge)) || !(await isOwnService(charge.service))) continue
          const { challenge } = charge
          if (intent === MPP_CHARGE) return { challenge, setAsideSeconds: null, pay: charger(charge) }
          return { challenge, setAsideSeconds: SET_ASIDE_S, byVoucher: true, pay: signer(charge, secret) }
        }
      }
      return null
    },
    // A seller that cannot ask the service responds with 503.
    isFinal: () => true,
  }
}

/** What a proof pays; without one a charge is preferred, because it is paid in one step. */
function intentsFor(proof: Proof | null): readonly string[] {
  if (proof === null) return [MPP_CHARGE, MPP_SESSION]
  return ['authorization' in proof ? MPP_SESSION : MPP_CHARGE]
}

function headerOf({ params }: Charge): string {
  return (params['header'] ?? 'Authorization').toLowerCase()
}

function charger(charge: Charge) {
  return (headers: Headers, proof: Proof): Headers => {
    const paid = new Headers(headers)
    if ('transactionId' in proof) paid.set(headerOf(charge), credentialFor(charge.params, proof))
    return paid
  }
}

/**
 * Signs one voucher for all that is set aside, whose nonce is that of the newest challenge: a seller that has counted
 * the call serves none for it again, and can capture no more. A price that has changed is not signed for.
 */
function signer(charge: Charge, secret: string) {
  return async (headers: Headers, proof: Proof): Promise<Headers> => {
    const { amount, nonce } = charge.challenge
    const paid = new Headers(headers)
    if (!('authorization' in proof)) return paid
    // The buyer's own service has signed the token.
    const { jti, amount: setAside } = fieldsIn(proof.authorization.split('.')[1] ?? '') ?? {}
    if (setAside !== amount) return paid
    const key = await voucherKeyOf(secret, proof.nonce)
    const amountPaise = BigInt(amount.replace('.', ''))
    const voucher = await signVoucher(key, { authorizationId: String(jti), amountPaise, nonce })
    paid.set(headerOf(charge), credentialFor(charge.params, { ...proof, voucher, nonce }))
    return paid
  }
}
