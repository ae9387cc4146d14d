import { amountIn, amountOut, idSchema, nullable, oneOf, PAYMENT_STATUSES, textOut } from '@batua/contract'
import {
  isBatuaError,
  type Journal,
  type Payment,
  type Purchase,
  PurchaseError,
  payingFetch,
  paymentOf,
} from '@batua/sdk'
import { Type } from 'typebox'
import { keyIn, resultOf, SPENDS, tool } from '../tool.ts'
import { ToolRefusal } from '../tool-refusal.ts'
import type { Wallet } from '../wallet.ts'
import {
  contextOf,
  discard,
  initOf,
  isFor,
  type PageRequest,
  pageFetch,
  pageRequest,
  purposeIn,
  readPage,
  withinPageTime,
} from './paid-url.ts'

export const fetchPaidUrl = tool({
  name: 'fetch_paid_url',
  title: 'Fetch a paid page',
  description:
    'Fetches a page, and pays its price if it asks for one of at most `max_amount`. The key belongs to this purchase: the same call with the same key never pays twice, and goes on where an earlier one stopped. A page that was delivered once is not delivered again under its key. If the owner has to approve, the result has `payment_status: pending_approval`; call it again after she has approved.',
  annotations: SPENDS,
  findsEarlier: 'get_payment',
  writtenByOthers: ['body', 'content_type', 'pay_to'],
  input: Type.Object(
    {
      ...pageRequest,
      max_amount: amountIn('The most that the page may cost, INR, without the fee.'),
      purpose: purposeIn,
      idempotency_key: keyIn,
    },
    { additionalProperties: false },
  ),
  output: resultOf({
    status: Type.Integer({ description: 'The status of the page’s answer.', examples: [200] }),
    content_type: nullable(textOut('The type of the body.', 'application/json')),
    body: nullable(textOut('The body; null while the payment waits for approval.', '{"sky":"clear"}')),
    body_encoding: nullable(oneOf(['text', 'base64'], 'How `body` is written; null without a body.')),
    truncated: Type.Boolean({ description: 'Whether the body was longer than 1 MiB and is cut off.' }),
    amount: nullable(amountOut('The price, INR, without the fee; null if nothing was paid.')),
    pay_to: nullable(textOut('Who was paid, as the page names it.', 'weather')),
    payment_id: nullable(idSchema('pay', 'The payment; null if it costs nothing or waits for approval.')),
    payment_status: nullable(
      oneOf(PAYMENT_STATUSES, '`pending_approval`: the owner has to approve; null if it costs nothing.'),
    ),
    approval_id: nullable(
      idSchema('apr', 'The approval that the payment waits for, or by which it was made.'),
    ),
  }),
  run: (wallet, { max_amount, purpose, idempotency_key: key, ...request }, signal) =>
    withinPageTime(signal, 'fetch_paid_url', async ending => {
      const purchase = { key, maxAmount: max_amount, purpose, request }
      try {
        return await buy(wallet, purchase, ending)
      } catch (error) {
        // Another call with this key has paid meanwhile: this one goes on with that payment.
        if (!isUsedKey(error)) throw error
        return await buy(wallet, purchase, ending)
      }
    }),
})

interface PagePurchase {
  readonly key: string
  readonly maxAmount: number
  readonly purpose: string | undefined
  readonly request: PageRequest
}

async function buy(wallet: Wallet, { key, maxAmount, purpose, request }: PagePurchase, signal: AbortSignal) {
  const { client, allowHttp } = wallet
  const { url } = request
  const earlier = await paymentWith(wallet, key)
  if (earlier !== null && !isFor(url, earlier)) throw usedElsewhere(earlier)
  const fetch = payingFetch(pageFetch(wallet), {
    client,
    maxAmount,
    allowHttp,
    approval: 'return',
    journal: journalOf(wallet, earlier, url),
    payment: { key, context: contextOf(url, purpose) },
  })
  const answer = await fetch(url, initOf(request, signal)).catch((error: unknown) => {
    throw refusalOf(error, maxAmount)
  })
  const payment = paymentOf(answer)
  const paid = {
    amount: payment === undefined ? null : Number(payment.amount),
    pay_to: payment?.payTo ?? null,
    payment_id: payment?.paymentId ?? null,
    payment_status: payment?.status ?? null,
    approval_id: payment?.approvalId ?? null,
  }
  if (payment?.status === 'pending_approval') {
    await discard(answer)
    const waiting = { content_type: null, body: null, body_encoding: null, truncated: false }
    return { status: answer.status, ...waiting, ...paid, next_tool: 'get_approval' as const }
  }
  return { status: answer.status, ...(await readPage(answer)), ...paid }
}

/** The payment that was made, or waits, with a key: the ledger is what remembers purchases, on every node. */
async function paymentWith({ client, agentId }: Wallet, key: string): Promise<Payment | null> {
  const { payments } = await client.listPayments({ agent_id: await agentId(), idempotency_key: key })
  return payments[0] ?? null
}

/** A journal that knows the purchase of one key. Money moves by that key, so it has nothing to record. */
function journalOf({ pins }: Wallet, earlier: Payment | null, url: string): Journal {
  return {
    resume: async requestKey => (earlier === null ? null : purchaseOf(earlier, requestKey, url)),
    begin: async () => null,
    update: async () => undefined,
    release: async () => undefined,
    ...pins,
  }
}

function purchaseOf(payment: Payment, requestKey: string, url: string): Purchase {
  return {
    id: payment.payment_id ?? payment.approval_id ?? '',
    requestKey,
    host: new URL(url).host,
    payTo: payment.to,
    amountPaise: BigInt(Math.round(payment.amount * 100)),
    nonce: payment.reference ?? '',
    startedAt: Date.parse(payment.created_at),
    state: payment.payment_id === null ? 'paying' : 'paid',
    paymentId: payment.payment_id,
    approvalId: payment.approval_id ?? null,
  }
}

function isUsedKey(error: unknown): boolean {
  return isBatuaError(error) && error.code === 'idempotency_error'
}

function usedElsewhere({ payment_id, approval_id, status }: Payment): ToolRefusal {
  return new ToolRefusal({
    code: 'idempotency_error',
    message: 'This key was used for another purchase; take a new one for this page',
    next_tool: 'get_payment',
    field: 'idempotency_key',
    details: { payment_id, approval_id, status, same_request: false },
  })
}

/**
 * The error of a purchase that failed, as the model gets it. A page that could not be reached after it was paid is fetched by the
 * same call, without paying again.
 */
function refusalOf(error: unknown, maxAmount: number): unknown {
  if (error instanceof PurchaseError && error.code === 'price_too_high') {
    const { code, message } = error
    return new ToolRefusal({ code, message, limit: maxAmount, next_tool: 'quote_paid_url' })
  }
  const payment = paymentOf(error)
  if (payment === undefined || !(error instanceof ToolRefusal)) return error
  return new ToolRefusal({
    ...error.facts,
    message: `${error.message}. It is paid: the same call with the same key fetches it without paying again`,
    next_tool: 'fetch_paid_url',
    details: { payment_id: payment.paymentId, approval_id: payment.approvalId },
  })
}
