import { amountOut, evaluatePolicy, nullable, oneOf, textOut } from '@batua/contract'
import { priceOf } from '@batua/sdk'
import { Type } from 'typebox'
import { CALLS_PAGE, resultOf, tool } from '../tool.ts'
import { ToolRefusal } from '../tool-refusal.ts'
import {
  discard,
  isSafe,
  type PageRequest,
  pageFetch,
  pageRequest,
  preparedRequest,
  withinPageTime,
} from './paid-url.ts'

const { code, message } = evaluatePolicy.response.properties

export const quotePaidUrl = tool({
  name: 'quote_paid_url',
  title: 'Ask for a price',
  description:
    'Asks a page for its price, without paying: the request is made once, unchanged. Also says whether this wallet may pay it now. A page that costs nothing acts on the request as if it were fetched, so use another method than GET only where you would fetch the page too.',
  scopes: ['payments:write'],
  annotations: CALLS_PAGE,
  // The page chooses where it redirects to.
  writtenByOthers: ['url', 'pay_to'],
  input: Type.Object(pageRequest, { additionalProperties: false }),
  output: resultOf({
    url: textOut('The address that responded, after redirects.', 'https://weather.example/today'),
    status: Type.Integer({
      description: 'The status of its response; 402 if it has a price.',
      examples: [402],
    }),
    payment_required: Type.Boolean({ description: 'Whether it has a price.' }),
    amount: nullable(amountOut('The price, INR, without the fee; null if it asks for none.')),
    fee: nullable(amountOut('The fee on it, INR.')),
    total: nullable(amountOut('What would be debited, INR.')),
    pay_to: nullable(textOut('Who would be paid, as the page names it.', 'weather')),
    decision: nullable(
      oneOf(evaluatePolicy.response.properties.decision.enum, 'Whether this wallet may pay it now.'),
    ),
    code,
    message: nullable(message),
  }),
  run: (wallet, request, signal) =>
    withinPageTime(signal, afterTimeout(request), async ending => {
      const init = await preparedRequest(wallet, 'quote_paid_url', request, ending)
      const response = await pageFetch(wallet)(request.url, init)
      await discard(response)
      const { status } = response
      const url = response.url || request.url
      const challenge = await priceOf(response, wallet.client)
      const next_tool = 'fetch_paid_url' as const
      // It has acted on the request by now, and would once more.
      if (challenge === null)
        return { ...NO_PRICE, url, status, next_tool: isSafe(request) ? next_tool : null }
      if (challenge === 'unreadable') {
        const why = 'The page asks for a payment in a form that cannot be read'
        throw new ToolRefusal({ code: 'invalid_challenge', message: why, field: 'url' })
      }
      const { payTo: pay_to, amount } = challenge
      const agent_id = await wallet.agentId()
      const decided = await wallet.client.evaluatePolicy({ agent_id, to: pay_to, amount: Number(amount) })
      const isAllowed = decided.decision === 'approved' || decided.decision === 'approval_required'
      const quote = { url, status, payment_required: true, pay_to }
      return { ...decided, ...quote, next_tool: isAllowed ? next_tool : ('get_wallet' as const) }
    }),
})

const NO_PRICE = {
  ...{ payment_required: false, amount: null, fee: null, total: null },
  ...{ pay_to: null, decision: null, code: null, message: null },
} as const

function afterTimeout(request: PageRequest) {
  return isSafe(request)
    ? { hint: 'the same call asks the page again', next_tool: 'quote_paid_url' as const }
    : { hint: 'the page may have acted on the request', next_tool: null }
}
