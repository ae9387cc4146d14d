import { routes } from '@batua/contract'
import type { Agents } from './cast.ts'
import { inr } from './money.ts'
import { type Headers, insist, type Stage } from './stage.ts'

const BUDGET_INR = 100
const ALLOCATED_INR = 50

/** Both agents join an organization: a common treasury, and a budget for the worker. */
export async function foundOrganization(
  { client, paper }: Stage,
  { payer, payee }: Agents,
  session: Headers,
): Promise<void> {
  paper.chapter('An organization: a treasury for both agents, and a budget for the translator')
  const body = { name: 'Demo Lab', tier: 'tier1' as const }
  const founded = await client.ok(routes.createOrganization, { headers: session, body })
  const call = { params: { org_id: founded.id }, headers: session }
  await client.ok(routes.addMember, { ...call, body: { agent_id: payer.id, role: 'treasury' } })
  await client.ok(routes.addMember, {
    ...call,
    body: { agent_id: payee.id, role: 'worker', budget_limit: BUDGET_INR },
  })
  const moved = await client.ok(routes.allocate, {
    ...call,
    body: { agent_id: payee.id, amount: ALLOCATED_INR },
  })
  paper.facts([
    ['organization', founded.id, `${founded.name}, up to ${founded.max_agents} agents`],
    ['allocated', `${inr(moved.amount)} INR`, 'from the treasury to a member, without a fee'],
  ])
  const { error } = await client.refused(routes.pay, {
    params: { agent_id: payee.id },
    headers: payee.headers,
    body: { to: payer.handle, amount: BUDGET_INR + 1 },
  })
  insist(error.code === 'spend_limit_exceeded', 'no agent spends more than its budget')
  paper.proof(`Above the budget: “${error.message}”.`)
}
