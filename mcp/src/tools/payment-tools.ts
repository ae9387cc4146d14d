import {
  Approval,
  getApproval,
  getPayment,
  lineText,
  Payment,
  PaymentResult,
  pay,
  refundPayment,
  verifyReceipt,
} from '@batua/contract'
import type { Approval as ApprovalRecord } from '@batua/sdk'
import { Type } from 'typebox'
import { CARD } from '../card.ts'
import { ANY_SCOPE, keyIn, READS, resultOf, SPENDS, type ToolName, tool } from '../tool.ts'
import { ToolRefusal } from '../tool-refusal.ts'
import { WRITTEN_IN_RECEIPTS } from '../untrusted.ts'
import { isPaidUrl } from './paid-url.ts'

/** The key is in the body, where the ledger keeps it for good. */
const KEY_IN_BODY = { idempotencyKey: null }

const { require_approval: requireApproval, ...payFields } = pay.body.properties

export const payTool = tool({
  name: 'pay',
  title: 'Pay',
  description:
    'Pays another agent at once, within the owner’s limits. The payee receives the amount; a fee of 0.5 %, at least 1 INR, comes on top. If the owner has to approve, the result is `pending_approval`: no money has moved, do not pay again, ask `get_approval` later. After a lost response call it again with the same key: it never pays twice.',
  annotations: SPENDS,
  scopes: ['payments:write'],
  findsEarlier: 'get_payment',
  card: CARD.uri,
  input: Type.Object(
    { ...payFields, require_approval: requireApproval, idempotency_key: keyIn },
    { additionalProperties: false },
  ),
  output: resultOf(PaymentResult.properties),
  async run({ client, agentId }, input) {
    const paid = await client.pay({ agent_id: await agentId(), ...input }, KEY_IN_BODY)
    return { ...paid, next_tool: afterPayment(paid) }
  },
})

export const requestApproval = tool({
  name: 'request_approval',
  title: 'Ask the owner',
  description:
    'Asks the owner to approve a payment, whatever its amount. No money moves until she approves, and limits still apply. Say in `context` what it is for: she reads it.',
  annotations: SPENDS,
  scopes: ['approvals:request'],
  findsEarlier: 'get_payment',
  card: CARD.uri,
  input: Type.Object({ ...payFields, idempotency_key: keyIn }, { additionalProperties: false }),
  output: resultOf(PaymentResult.properties),
  async run({ client, agentId }, input) {
    const body = { ...input, require_approval: true }
    const asked = await client.pay({ agent_id: await agentId(), ...body }, KEY_IN_BODY)
    return { ...asked, next_tool: afterPayment(asked) }
  },
})

function afterPayment({ status }: { readonly status: string }): ToolName | null {
  return status === 'pending_approval' ? 'get_approval' : null
}

export const getPaymentTool = tool({
  name: 'get_payment',
  title: 'Find a payment',
  description:
    'A payment of this wallet, by its id or by the key that it was made with. `not_found` for a key means that it was not made.',
  annotations: READS,
  scopes: ANY_SCOPE,
  writtenByOthers: ['reference'],
  input: Type.Object(
    {
      payment_id: Type.Optional(getPayment.params.properties.payment_id),
      idempotency_key: Type.Optional(lineText('The key that it was made with.', 'order-7f3a')),
    },
    { additionalProperties: false, minProperties: 1, maxProperties: 1 },
  ),
  output: resultOf(Payment.properties),
  async run({ client, agentId }, { payment_id, idempotency_key = '' }) {
    const agent_id = await agentId()
    if (payment_id !== undefined) {
      const payment = await client.getPayment({ agent_id, payment_id })
      return { ...payment, next_tool: afterPayment(payment) }
    }
    const { payments } = await client.listPayments({ agent_id, idempotency_key })
    const [payment] = payments
    if (payment === undefined) {
      const message = 'No payment was made with this key'
      // A hold or an authorization may have been made with it: the statement has them.
      const next_tool = 'list_transactions'
      throw new ToolRefusal({ code: 'not_found', message, field: 'idempotency_key', next_tool })
    }
    return { ...payment, next_tool: afterPayment(payment) }
  },
})

const { evidence: _evidence, ...approvalFields } = Approval.properties

export const getApprovalTool = tool({
  name: 'get_approval',
  title: 'Ask for an approval',
  description:
    'Whether the owner has decided about a payment or hold. While it is `pending_approval`, go on with something else and ask again in a minute or later.',
  annotations: READS,
  scopes: ANY_SCOPE,
  card: CARD.uri,
  // `name` is that of the app, which it chose itself.
  writtenByOthers: ['to_name', 'reference', 'note', 'rejection_reason', 'name'],
  input: getApproval.params,
  output: resultOf(approvalFields),
  async run({ client }, input) {
    const approval = await client.getApproval(input)
    return { ...approval, next_tool: afterDecision(approval) }
  },
})

/** A page is fetched now; what else was approved has been made, and is looked up. Only payments are found by an id. */
function afterDecision({ status, kind, context }: ApprovalRecord): ToolName | null {
  if (status === 'pending_approval') return 'get_approval'
  if (status !== 'approved') return null
  if (isPaidUrl(context)) return 'fetch_paid_url'
  return kind === 'payment' ? 'get_payment' : 'list_transactions'
}

export const refund = tool({
  name: 'refund',
  title: 'Refund',
  description:
    'Gives back a payment that this wallet received, or a part of it, without a fee. Without `amount` everything that is left.',
  annotations: SPENDS,
  scopes: ['payments:write'],
  findsEarlier: 'list_transactions',
  input: Type.Object(
    {
      payment_id: refundPayment.params.properties.payment_id,
      amount: refundPayment.body.properties.amount,
      idempotency_key: keyIn,
    },
    { additionalProperties: false },
  ),
  output: resultOf(refundPayment.response.properties),
  run: ({ client }, input) => client.refundPayment(input, KEY_IN_BODY),
})

export const verifyReceiptTool = tool({
  name: 'verify_receipt',
  title: 'Verify a receipt',
  description: 'Whether a receipt, by its id or that of its payment, is genuine: signed by the service.',
  annotations: READS,
  scopes: ['wallet:read'],
  writtenByOthers: WRITTEN_IN_RECEIPTS,
  input: verifyReceipt.params,
  output: resultOf(verifyReceipt.response.properties),
  run: ({ client }, input) => client.verifyReceipt(input),
})
