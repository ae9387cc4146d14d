import {
  AGENT_STATUSES,
  amountOut,
  EffectivePolicy,
  Exposure,
  evaluatePolicy,
  idSchema,
  listTransactions,
  oneOf,
  textOut,
} from '@batua/contract'
import type { PolicyEvaluation } from '@batua/sdk'
import { Type } from 'typebox'
import { CARD } from '../card.ts'
import { ANY_SCOPE, READS, resultOf, type ToolName, tool } from '../tool.ts'
import { WRITTEN_IN_STATEMENTS } from '../untrusted.ts'

const { limits, thresholds, allowed_payees, max_amount_now, as_of } = EffectivePolicy.properties
const { held, authorized, pending_approvals, hour, day, month } = Exposure.properties

export const getWallet = tool({
  name: 'get_wallet',
  title: 'Wallet',
  description:
    'What this wallet has and may spend: the balance, money that is held, every limit with what is left of it and when it resets, and the amounts above which escrow or the owner’s approval is required. Amounts are INR.',
  annotations: READS,
  scopes: ['wallet:read'],
  card: CARD.uri,
  input: Type.Object({}, { additionalProperties: false }),
  output: resultOf({
    agent_id: idSchema('agt', 'The agent whose wallet this is.'),
    handle: textOut('Its handle, by which others pay it.', 'researcher'),
    status: oneOf(AGENT_STATUSES, 'Only an active agent can pay.'),
    balance: amountOut('What can be spent now, INR, fees included. Negative only after a chargeback.'),
    held,
    authorized,
    pending_approvals,
    max_amount_now,
    limits,
    thresholds,
    allowed_payees,
    hour,
    day,
    month,
    as_of,
  }),
  async run({ client, agentId }) {
    const agent_id = await agentId()
    // One after the other: an agent may have only so many requests in flight.
    const { handle, status } = await client.getCurrentAgent()
    const { available } = await client.getBalance({ agent_id })
    const policy = await client.getAgentPolicy({ agent_id })
    const exposure = await client.getExposure({ agent_id })
    return { ...exposure, ...policy, handle, status, balance: available }
  },
})

export const checkPayment = tool({
  name: 'check_payment',
  title: 'Check a payment',
  description:
    'Decides a payment as `pay` would at this moment, without making it: whether it would be made, refused, or wait for the owner, and its fee.',
  annotations: READS,
  scopes: ANY_SCOPE,
  input: evaluatePolicy.body,
  output: resultOf(evaluatePolicy.response.properties),
  async run({ client, agentId }, input) {
    const decided = await client.evaluatePolicy({ agent_id: await agentId(), ...input })
    return { ...decided, next_tool: nextToolFor(decided) }
  },
})

function nextToolFor({ decision }: PolicyEvaluation): ToolName | null {
  switch (decision) {
    case 'approved':
    case 'approval_required':
      return 'pay'
    case 'escrow_required':
      return 'hold_escrow'
    case 'denied':
      return 'get_wallet'
  }
}

export const listTransactionsTool = tool({
  name: 'list_transactions',
  title: 'Transactions',
  description: 'The statement of this wallet, newest first.',
  annotations: READS,
  scopes: ['wallet:read'],
  writtenByOthers: WRITTEN_IN_STATEMENTS,
  input: listTransactions.query,
  output: resultOf(listTransactions.response.properties),
  run: async ({ client, agentId }, input) => client.listTransactions({ agent_id: await agentId(), ...input }),
})
