import { amountOut, evaluatePolicy, nullable, oneOf, textOut } from '@batua/contract'
import { CHALLENGE_HEADER, decodeChallenge } from '@batua/sdk'
import { Type } from 'typebox'
import { resultOf, tool } from '../tool.ts'
import { ToolRefusal } from '../tool-refusal.ts'
import { discard, initOf, pageFetch, pageRequest, withinPageTime } from './paid-url.ts'

const { code, message } = evaluatePolicy.response.properties

export const quotePaidUrl = tool({
  name: 'quote_paid_url',
  title: 'Ask for a price',
  description:
    'Asks a page what it costs, without paying: the request is made once as it is. Says also whether this wallet may pay it now.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  writtenByOthers: ['pay_to'],
  input: Type.Object(pageRequest, { additionalProperties: false }),
  output: resultOf({
    url: textOut('The address that answered, after redirects.', 'https://weather.example/today'),
    status: Type.Integer({
      description: 'The status of its answer; 402 if it has a price.',
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
    withinPageTime(signal, 'quote_paid_url', async ending => {
      const answer = await pageFetch(wallet)(request.url, initOf(request, ending))
      await discard(answer)
      const { status, headers } = answer
      const url = answer.url || request.url
      const header = status === 402 ? headers.get(CHALLENGE_HEADER) : null
      const next_tool = 'fetch_paid_url' as const
      if (header === null) return { ...NO_PRICE, url, status, next_tool }
      const challenge = decodeChallenge(header)
      if (challenge === null) {
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
