import { basisPoints, type Paise, paise } from '../../kernel/money.ts'

const FEE_BASIS_POINTS = 50n
const MINIMUM_FEE_PAISE = paise(100n)

/** The fee of a payment: 0.5 % of the amount, half up, at least 1 INR (interface section 4). */
export function paymentFee(amountPaise: Paise): Paise {
  const fee = basisPoints(amountPaise, FEE_BASIS_POINTS)
  return fee < MINIMUM_FEE_PAISE ? MINIMUM_FEE_PAISE : fee
}
