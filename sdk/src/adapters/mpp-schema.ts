import { type Paise, paiseFromRupees, type Rupees } from '../protocol/amount.ts'
import type { PaymentProof, VoucherProof } from '../protocol/messages.ts'
import {
  type ChargeRequest,
  chargeProof,
  MPP_CHARGE,
  MPP_METHOD,
  MPP_SESSION,
  sessionProof,
} from '../protocol/mpp.ts'
import { payeeIn } from '../seller/context.ts'

/** What a route of mppx asks for: `mppx.charge({ amount: '2.50' })`. */
export interface ChargeOptions {
  /** Rupees. */
  readonly amount: Rupees
  /** The payee; by default that of `chargeServer`. */
  readonly recipient?: string
  /** Of each challenge; set by `chargeServer`. */
  readonly methodDetails?: ChargeRequest['methodDetails']
}

/**
 * The used part of a schema of zod, as mppx uses it. The package needs no zod: mppx parses with `parse`, and its types
 * read `_zod`, which no value has.
 */
export interface Schema<Input, Output> {
  readonly _zod?: { readonly input: Input; readonly output: Output }
  parse(value: unknown): Output
  safeParse(value: unknown): { success: true; data: Output } | { success: false; error: unknown }
}

/** A method of MPP, for both sides. */
export interface MppMethod<Intent extends string, Payload> {
  readonly name: typeof MPP_METHOD
  readonly intent: Intent
  readonly schema: {
    readonly credential: { readonly payload: Schema<Payload, Payload> }
    readonly request: Schema<ChargeOptions, Partial<ChargeRequest>>
  }
}

export type ChargeMethod = MppMethod<typeof MPP_CHARGE, PaymentProof>
export type SessionMethod = MppMethod<typeof MPP_SESSION, VoucherProof>

export const CHARGE_METHOD: ChargeMethod = methodOf(MPP_CHARGE, chargeProof)
export const SESSION_METHOD: SessionMethod = methodOf(MPP_SESSION, sessionProof)

/** The method: an amount in rupees becomes paise, as MPP writes amounts. */
function methodOf<Intent extends string, Payload>(
  intent: Intent,
  proofIn: (payload: unknown) => Payload | null,
): MppMethod<Intent, Payload> {
  const payload = schemaOf<Payload, Payload>(value => {
    const proof = proofIn(value)
    if (proof === null) throw new TypeError('the payload is no proof of payment')
    return proof
  })
  return { name: MPP_METHOD, intent, schema: { credential: { payload }, request: requestSchema() } }
}

function requestSchema(): Schema<ChargeOptions, Partial<ChargeRequest>> {
  return schemaOf(value => {
    const { amount, recipient, methodDetails } = value as ChargeOptions
    return {
      amount: pricePaise(amount).toString(),
      currency: 'inr' as const,
      ...(recipient === undefined ? {} : { recipient: payeeIn(recipient) }),
      ...(methodDetails === undefined ? {} : { methodDetails }),
    }
  })
}

function pricePaise(amount: unknown): Paise {
  if (typeof amount !== 'string' && typeof amount !== 'number') throw new TypeError('an amount is rupees')
  const paise = paiseFromRupees(amount)
  if (paise === 0n) throw new RangeError('a charge is above 0')
  return paise
}

function schemaOf<Input, Output>(parse: (value: unknown) => Output): Schema<Input, Output> {
  return {
    parse,
    safeParse(value) {
      try {
        return { success: true, data: parse(value) }
      } catch (error) {
        return { success: false, error }
      }
    },
  }
}
