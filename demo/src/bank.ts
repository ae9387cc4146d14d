import { routes } from '@batua/contract'
import { inr } from './money.ts'
import { type Actor, insist, type Stage } from './stage.ts'

const AMOUNT_INR = 200

/** Unused money goes back to the owner's bank account. */
export async function withdrawToBank({ client, paper }: Stage, agent: Actor): Promise<void> {
  paper.chapter('Money is withdrawn to the owner’s bank account')
  const params = { agent_id: agent.id }
  const withdrawal = await client.ok(routes.withdraw, {
    params,
    headers: agent.headers,
    body: { amount: AMOUNT_INR },
  })
  paper.facts([
    ['withdrawal', withdrawal.transaction_id],
    ['amount', `${inr(withdrawal.amount)} INR`, `to the account ending in ${withdrawal.bank_account_last4}`],
    ['status', withdrawal.status],
  ])
  await client.ok(routes.advanceClock, { body: { advance_seconds: 0 } })
  const { transactions } = await client.ok(routes.listTransactions, {
    params,
    headers: agent.headers,
    query: { type: 'withdraw' },
  })
  const line = transactions.find(({ id }) => id === withdrawal.transaction_id)
  insist(line?.status === 'completed', 'the bank confirms the withdrawal')
  paper.facts([['then', line.status, `the bank’s reference is ${line.utr ?? ''}`]])
  paper.say('Money that is not withdrawn is settled automatically on the second business day.')
}
