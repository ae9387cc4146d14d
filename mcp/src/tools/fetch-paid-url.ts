import { amountIn, amountOut, idSchema, nullable, oneOf, PAYMENT_STATUSES, textOut } from '@batua/contract'
import {
  type AnyBatuaError,
  type Authorization,
  isBatuaError,
  type Journal,
  type Payment,
  type Purchase,
  PurchaseError,
  payingFetch,
  paymentOf,
} from '@batua/sdk'
import { Type } from 'typebox'
import { CALLS_PAGE, keyIn, resultOf, type ToolName, tool } from '../tool.ts'
import { idsOf, ToolRefusal, WRITTEN_BY_SELLERS } from '../tool-refusal.ts'
import type { Wallet } from '../wallet.ts'
import {
  contextOf,
  discard,
  isFor,
  pageFetch,
  pageRequest,
  preparedRequest,
  purposeIn,
  readPage,
  withinPageTime,
} from './paid-url.ts'

export const fetchPaidUrl = tool({
  name: 'fetch_paid_url',
  title: 'Fetch a paid page',
  description:
    'Fetches a page, and pays its price if it asks for one of at most `max_amount`. The key belongs to this purchase: the same call with the same key never pays twice, and goes on where an earlier one stopped. A page that was delivered once is not delivered again under its key. If the seller takes vouchers alone, the price is set aside for this one call, which costs the fee of a payment, and `authorization_id` names it. If the owner has to approve, the result has `payment_status: pending_approval`; call it again after she has approved.',
  annotations: CALLS_PAGE,
  scopes: ['payments:write'],
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
    status: Type.Integer({ description: 'The status of the page’s response.', examples: [200] }),
    content_type: nullable(textOut('The type of the body.', 'application/json')),
    body: nullable(textOut('The body; null while the payment waits for approval.', '{"sky":"clear"}')),
    body_encoding: nullable(oneOf(['text', 'base64'], 'How `body` is written; null without a body.')),
    truncated: Type.Boolean({ description: 'Whether the body was longer than 1 MiB and is cut off.' }),
    amount: nullable(amountOut('The price, INR, without the fee; null if nothing was paid.')),
    pay_to: nullable(textOut('Who was paid, as the page names it.', 'weather')),
    payment_id: nullable(
      idSchema(
        'pay',
        'The payment; null if it costs nothing, waits for approval, or is captured by the seller.',
      ),
    ),
    authorization_id: nullable(
      idSchema('ath', 'The money set aside, if the seller captures the price after the request; else null.'),
    ),
    payment_status: nullable(
      oneOf(PAYMENT_STATUSES, '`pending_approval`: the owner has to approve; null if it costs nothing.'),
    ),
    approval_id: nullable(
      idSchema('apr', 'The approval that the payment waits for, or by which it was made.'),
    ),
  }),
  run: (wallet, { max_amount, purpose, idempotency_key: key, ...request }, signal) =>
    withinPageTime(signal, GOES_ON, async ending => {
      const init = await preparedRequest(wallet, 'fetch_paid_url', request, ending)
      const purchase = { key, maxAmount: max_amount, purpose, url: request.url, init }
      try {
        return await buy(wallet, purchase)
      } catch (error) {
        if (!isUsedKey(error)) throw error
        // Another call with this key has paid meanwhile, or an earlier one has set money aside: this one goes on with it.
        return await buy(wallet, purchase, await setAsideBefore(wallet, error.details))
      }
    }),
})

/** After the time limit. */
const GOES_ON = { hint: 'the same call goes on where it stopped', next_tool: 'fetch_paid_url' } as const

interface PagePurchase {
  readonly key: string
  readonly maxAmount: number
  readonly purpose: string | undefined
  readonly url: string
  readonly init: RequestInit
}

async function buy(
  wallet: Wallet,
  { key, maxAmount, purpose, url, init }: PagePurchase,
  setAside: SetAside | null = null,
) {
  const { client, allowHttp, voucherSecret } = wallet
  const earlier = await paymentWith(wallet, key)
  const made = earlier ?? setAside
  if (made !== null && !isFor(url, made)) throw usedElsewhere(made)
  const fetch = payingFetch(pageFetch(wallet), {
    client,
    maxAmount,
    allowHttp,
    approval: 'return',
    journal: journalOf(wallet, purchaseOf(made, url)),
    payment: { key, context: contextOf(url, purpose), ...(voucherSecret === null ? {} : { voucherSecret }) },
  })
  const response = await fetch(url, init).catch((error: unknown) => {
    throw refusalOf(error, maxAmount)
  })
  const payment = paymentOf(response)
  const paid = {
    amount: payment === undefined ? null : Number(payment.amount),
    pay_to: payment?.payTo ?? null,
    ...idsOf(payment?.paymentId ?? null),
    payment_status: payment?.status ?? null,
    approval_id: payment?.approvalId ?? null,
  }
  if (payment?.status === 'pending_approval') {
    await discard(response)
    const waiting = { content_type: null, body: null, body_encoding: null, truncated: false }
    return { status: response.status, ...waiting, ...paid, next_tool: 'get_approval' as const }
  }
  return {
    status: response.status,
    ...(await readPage(response)),
    ...paid,
    next_tool: afterPage(response, paid),
  }
}

/**
 * A page that was not delivered although it is paid: its seller gives the money back, which the payment shows; what is
 * set aside is there for the same call, if the seller could not serve it then.
 */
function afterPage({ ok, status }: Response, paid: ReturnType<typeof idsOf>): ToolName | null {
  if (ok || (paid.payment_id ?? paid.authorization_id) === null) return null
  if (paid.payment_id !== null) return 'get_payment'
  return status >= 500 ? 'fetch_paid_url' : 'list_transactions'
}

/** The payment that was made, or waits, with a key: the ledger is what remembers purchases, on every node. */
async function paymentWith({ client, agentId }: Wallet, key: string): Promise<Payment | null> {
  const { payments } = await client.listPayments({ agent_id: await agentId(), idempotency_key: key })
  return payments[0] ?? null
}

/** A journal that knows the purchase of one key. Money moves by that key, so it has nothing to record. */
function journalOf({ pins }: Wallet, earlier: Omit<Purchase, 'requestKey'> | null): Journal {
  return {
    resume: async requestKey => earlier && { ...earlier, requestKey },
    begin: async () => null,
    update: async () => undefined,
    release: async () => undefined,
    ...pins,
  }
}

/** Money that was set aside with a key, or the approval that it waits for. */
type SetAside = Pick<Authorization, 'amount' | 'reference' | 'created_at'> & {
  readonly status: string
  readonly to: string
  readonly payment_id: string | null
  readonly approval_id: string | null
  readonly setAsideSeconds: number
  readonly byVoucher: boolean
  readonly context: Payment['context']
}

/** What a call with this key has set aside; null: nothing. Lists of payments do not have it. */
async function setAsideBefore(
  { client }: Wallet,
  { authorization_id, approval_id }: UsedKey['details'],
): Promise<SetAside | null> {
  if (typeof authorization_id === 'string') return authorizationOf(client, authorization_id)
  if (approval_id === undefined) return null
  const waiting = await client.getApproval({ approval_id })
  if (waiting.authorization_id !== null) return authorizationOf(client, waiting.authorization_id)
  const { to, expires_in } = waiting
  if (waiting.kind !== 'authorization' || to === null || expires_in === null) return null
  return { ...waiting, to, payment_id: null, approval_id, setAsideSeconds: expires_in, byVoucher: false }
}

async function authorizationOf(client: Wallet['client'], authorization_id: string): Promise<SetAside> {
  const made = await client.getAuthorization({ authorization_id })
  const { to_agent_id: to, approval_id = null, context = null, voucher_key } = made
  const setAsideSeconds = (Date.parse(made.expires_at) - Date.parse(made.created_at)) / 1_000
  const byVoucher = voucher_key !== null
  return { ...made, to, payment_id: authorization_id, approval_id, context, setAsideSeconds, byVoucher }
}

function purchaseOf(made: Payment | SetAside | null, url: string): Omit<Purchase, 'requestKey'> | null {
  if (made === null) return null
  return {
    id: made.payment_id ?? made.approval_id ?? '',
    host: new URL(url).host,
    payTo: made.to,
    amountPaise: BigInt(Math.round(made.amount * 100)),
    nonce: made.reference ?? '',
    startedAt: Date.parse(made.created_at),
    state: made.payment_id === null ? 'paying' : 'paid',
    paymentId: made.payment_id,
    approvalId: made.approval_id ?? null,
    ...('setAsideSeconds' in made
      ? { setAsideSeconds: made.setAsideSeconds, byVoucher: made.byVoucher }
      : {}),
  }
}

type UsedKey = Extract<AnyBatuaError, { readonly code: 'idempotency_error' }>

function isUsedKey(error: unknown): error is UsedKey {
  return isBatuaError(error) && error.code === 'idempotency_error'
}

function usedElsewhere({ payment_id, approval_id, status }: Payment | SetAside): ToolRefusal {
  return new ToolRefusal({
    code: 'idempotency_error',
    message: 'This key was used for another purchase; take a new one for this page',
    next_tool: 'get_payment',
    field: 'idempotency_key',
    details: { ...idsOf(payment_id), approval_id, status, same_request: false },
  })
}

/**
 * The error of a purchase that failed, as the model gets it. A page that could not be reached after it was paid is fetched by the
 * same call, without paying again.
 */
function refusalOf(error: unknown, maxAmount: number): unknown {
  if (error instanceof PurchaseError && error.code === 'price_too_high') {
    const { code, message } = error
    const untrusted = [...WRITTEN_BY_SELLERS]
    return new ToolRefusal({ code, message, limit: maxAmount, next_tool: 'quote_paid_url', untrusted })
  }
  const payment = paymentOf(error)
  if (payment === undefined || !(error instanceof ToolRefusal)) return error
  return new ToolRefusal({
    ...error.facts,
    message: `${error.message}. It is paid: the same call with the same key fetches it without paying again`,
    next_tool: 'fetch_paid_url',
    details: { ...idsOf(payment.paymentId), approval_id: payment.approvalId },
  })
}
