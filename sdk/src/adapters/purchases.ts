import type { Buyer } from '../buyer/buyer.ts'
import { isGivenBack } from '../buyer/complete-purchase.ts'
import type { Order } from '../buyer/decide-challenge.ts'
import { awaitApproval, ensurePayment, isSetAside, type PurchaseInProgress } from '../buyer/ensure-payment.ts'
import type { Purchase } from '../buyer/journal.ts'
import { settlementSoFar } from '../buyer/paying-fetch.ts'
import { PurchaseError, type PurchaseErrorCode } from '../buyer/purchase-error.ts'
import { readSetAside, takeBack } from '../buyer/set-aside.ts'
import { sha256 } from '../buyer/sha-256.ts'
import { limitsFor } from '../buyer/terms.ts'
import { rupeesText } from '../protocol/amount.ts'
import type { AuthorizationProof, PaymentProof } from '../protocol/messages.ts'

/** The service's own maximum. */
export const ANY_AMOUNT = 10_000_000_000

/** An order, and for how many seconds its price is set aside; null: it is paid before the request. */
export type PricedOrder = Order & { readonly setAsideSeconds: number | null }

/** How a purchase ended. */
export type PurchaseEnd = 'served' | 'not_served'

/** The purchases of a client of another package, which sends the requests and reports how they ended. */
export interface Purchases {
  /**
   * What to show to the seller: of a new payment, or of the one for the same key that is not known to have ended.
   * `key` identifies what is bought.
   */
  pay(order: PricedOrder, url: URL, key: readonly string[]): Promise<PaymentProof | AuthorizationProof>
  /** Records how the purchase with this nonce ended; of others nothing. */
  finish(nonce: string, end: PurchaseEnd): Promise<void>
}

/** Payments whose response is awaited; each takes about 200 bytes. */
const MAX_AWAITED = 10_000

export function createPurchases(buyer: Buyer): Purchases {
  /** By their nonces. */
  const awaited = new Map<string, Parameters<typeof isGivenBack>[1]>()

  async function pay(
    order: PricedOrder,
    url: URL,
    key: readonly string[],
  ): Promise<PaymentProof | AuthorizationProof> {
    const requestKey = await sha256(JSON.stringify([buyer.agentKey, ...key]))
    const resumed = await buyer.journal.resume(requestKey)
    const purchase = resumed ?? (await begin(buyer, { ...order, requestKey, url }))
    try {
      const sale = { purchase, url, signal: undefined, isResumed: resumed !== null }
      const proof = await proofOf(buyer, sale)
      if (proof === null) return await pay(order, url, key)
      if (awaited.size >= MAX_AWAITED) awaited.clear()
      awaited.set(proof.shown.nonce, { purchase, paymentId: proof.paymentId, signal: undefined })
      return proof.shown
    } finally {
      await buyer.journal.release(purchase.id)
    }
  }

  return {
    pay,
    async finish(nonce, end) {
      const sale = awaited.get(nonce)
      if (sale === undefined) return
      awaited.delete(nonce)
      const { purchase, paymentId } = sale
      if (end === 'served') return buyer.journal.finish(purchase.id, { state: 'served', paymentId })
      const refunded = await isGivenBack(buyer, sale)
      if (!refunded && isSetAside(purchase)) await takeBack(buyer, paymentId)
      await buyer.journal.finish(purchase.id, { state: refunded ? 'refunded' : 'refused', paymentId })
    },
  }
}

async function begin(
  { journal, terms, time }: Buyer,
  order: PricedOrder & { readonly requestKey: string; readonly url: URL },
): Promise<Purchase> {
  const { payTo, amountPaise, nonce, requestKey, url, setAsideSeconds } = order
  const started = { startedAt: time.now(), state: 'paying', paymentId: null } as const
  const { host } = url
  const what = { payTo, amountPaise, nonce, ...(setAsideSeconds === null ? {} : { setAsideSeconds }) }
  const purchase = { id: crypto.randomUUID(), requestKey, host, ...what, ...started }
  const exceeded = await journal.begin(purchase, limitsFor(terms.budgets, host))
  if (exceeded === null) return purchase
  const message = `With ${rupeesText(amountPaise)} INR more, a budget of ${rupeesText(exceeded.limitPaise)} INR would be exceeded`
  throw refused(url, 'budget_exceeded', message, nonce)
}

/** The payment or authorization of a purchase, and what is shown to the seller. */
interface Proven {
  readonly paymentId: string
  readonly shown: PaymentProof | AuthorizationProof
}

/** Makes the payment of a purchase, or finds it; null if it was not made and is abandoned, or was given back. */
async function proofOf(buyer: Buyer, sale: PurchaseInProgress): Promise<Proven | null> {
  const state = sale.isResumed ? await settlementSoFar(buyer, sale, true) : await ensurePayment(buyer, sale)
  if (state === null) return null
  const { id, nonce } = sale.purchase
  if (state.kind === 'waiting') {
    await buyer.journal.update(id, { state: 'paying', paymentId: null, approvalId: state.approvalId })
  }
  const paymentId =
    state.kind === 'paid' ? state.paymentId : await awaitApproval(buyer, sale, state.approvalId)
  await buyer.journal.update(id, { state: 'paid', paymentId })
  const fromAgent = await buyer.agentId(undefined)
  const token = state.kind === 'paid' ? state.receipt : undefined
  if (isSetAside(sale.purchase)) {
    const authorization = token ?? (await readSetAside(buyer, sale, paymentId)).token
    return { paymentId, shown: { version: 1, authorization, fromAgent, nonce } }
  }
  const proof = { version: 1, transactionId: paymentId, fromAgent, nonce } as const
  return { paymentId, shown: token === undefined ? proof : { ...proof, receipt: token } }
}

/** @internal Why something is not bought. */
export function refused(
  { href: url }: URL,
  code: PurchaseErrorCode,
  message: string,
  nonce: string | null = null,
): PurchaseError {
  return new PurchaseError({ code, message, url, nonce })
}
