import type { VerifyTransactionInput } from '../api/types.ts'
import { wait, within } from '../client/timeouts.ts'
import { type Paise, rupeesNumber, rupeesText } from '../protocol/amount.ts'
import type { PaymentProof } from '../protocol/messages.ts'
import { askBefore, type Deadline } from './deadline.ts'
import { decidePayment, type Paid, type Refused, refused } from './decide.ts'
import type { NonceStore } from './nonce-store.ts'
import { AFTERWARDS, type PaymentService } from './payment-service.ts'

/** One use of a nonce. */
export interface NonceUse {
  readonly proof: PaymentProof
  readonly payTo: string
  /** The minimum amount that must have been paid. */
  readonly amountPaise: Paise
  /** The amount in the receipt, if that proves the payment without the service; null: the service verifies it. */
  readonly provenPaise: Paise | null
  /** The seller's id for this use: the same id gets the first response again. */
  readonly claimId: string
  /** Whether it was requested before without a response: that request may still arrive. */
  readonly isRepeated: boolean
  /** When the use may be forgotten. */
  readonly expiresAt: Date
}

/** The place where used nonces are stored. */
export interface NonceUses {
  /** Decides about a payment and, only if it is accepted, consumes its nonce. */
  take(use: NonceUse, deadline: Deadline): Promise<Refused | Paid>
  /** Makes the nonce valid again. After this the same claim must not be made again. */
  giveBack(use: NonceUse): Promise<void>
}

/** At the service, in the same call that verifies. */
export function usesAtService(service: PaymentService): NonceUses {
  return {
    async take(use, deadline) {
      const input = { ...verificationOf(use), consume: true, consume_id: use.claimId }
      const verification = await askBefore(deadline, options => service.verifyTransaction(input, options))
      return decidePayment(verification, use.proof)
    },
    async giveBack({ proof, claimId }) {
      const { transactionId: txn_id, nonce } = proof
      await service.restoreNonce({ txn_id, nonce, consume_id: claimId }, AFTERWARDS)
    },
  }
}

/** In the seller's own store, after the receipt or the service has proven the payment. */
export function usesInStore(service: PaymentService, store: NonceStore): NonceUses {
  async function verifiedPayment(use: NonceUse, deadline: Deadline): Promise<Refused | Paid> {
    const input = verificationOf(use)
    const verification = await askBefore(deadline, options => service.verifyTransaction(input, options))
    return decidePayment(verification, use.proof)
  }
  return {
    async take(use, deadline) {
      const decision = provenPayment(use) ?? (await verifiedPayment(use, deadline))
      if (decision.kind === 'refused') return decision
      const isFirst = await within(Infinity, deadline.signal, () =>
        store.claim(use.proof.nonce, use.expiresAt, use.claimId),
      )
      return isFirst ? decision : refused('nonce_already_used')
    },
    async giveBack({ proof, claimId, isRepeated }) {
      // Stores do not remember released claims, so the first try could mark the nonce again.
      if (isRepeated) throw new Error('the nonce may be marked again')
      await repeatedly(() => store.release(proof.nonce, claimId))
    },
  }
}

function provenPayment({ proof, provenPaise }: NonceUse): Paid | null {
  if (provenPaise === null) return null
  const { transactionId: paymentId, fromAgent: from, nonce } = proof
  return { kind: 'paid', payment: { paymentId, from, amount: rupeesText(provenPaise), nonce } }
}

function verificationOf({ proof, payTo, amountPaise }: NonceUse): VerifyTransactionInput {
  const { transactionId: txn_id, fromAgent: expected_payer, nonce } = proof
  // The payer too: another agent's proof must not consume the buyer's nonce.
  return {
    ...{ txn_id, expected_payee: payTo, expected_payer, nonce },
    expected_amount: rupeesNumber(amountPaise),
  }
}

const MAX_ATTEMPTS = 5
const FIRST_WAIT_MS = 100

async function repeatedly(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error
      await wait(FIRST_WAIT_MS * 2 ** (attempt - 1), undefined)
    }
  }
}
