import { randomUUID } from 'node:crypto'
import { routes } from '@batua/contract'
import type { Agents, Owner } from './cast.ts'
import { inr } from './money.ts'
import { type Headers, insist, type Stage } from './stage.ts'

const ASK_ABOVE_INR = 250
const AMOUNT_INR = 300

/** The owner logs in; returns the headers of her session. */
export async function logIn({ client, paper }: Stage, { id, phone }: Owner): Promise<Headers> {
  paper.chapter('The owner logs in and requires her approval')
  await client.ok(routes.sendOtp, { body: { phone } })
  const { code } = await client.ok(routes.getSandboxOtp, { params: { phone } })
  paper.say('The code is sent by SMS; the sandbox shows it.')
  const session = await client.session(routes.verifyOtp, { body: { phone, code } })
  const { policy } = await client.ok(routes.updateOwnerPolicy, {
    query: { owner_id: id },
    headers: session,
    body: { require_human_approval_above: ASK_ABOVE_INR },
  })
  const above = policy.require_human_approval_above ?? 0
  paper.facts([
    ['ask above', `${inr(above)} INR`, 'for each of her agents; a stricter limit applies at once'],
  ])
  return session
}

export async function approvePayment(
  stage: Stage,
  { payer, payee }: Agents,
  session: Headers,
): Promise<void> {
  const { client, paper } = stage
  paper.chapter('A large payment waits for her approval')
  const waiting = await client.ok(routes.pay, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: { to: payee.handle, amount: AMOUNT_INR, idempotency_key: randomUUID() },
  })
  insist(waiting.status === 'pending_approval', 'a payment above the threshold waits')
  paper.facts([
    ['status', waiting.status, 'no money is held while it waits'],
    ['approval', waiting.approval_id ?? ''],
  ])
  const approved = await client.ok(routes.approve, {
    params: { approval_id: waiting.approval_id ?? '' },
    headers: session,
  })
  insist(approved.payment?.status === 'completed', 'an approval pays in the same commit')
  paper.facts([
    ['decision', approved.status],
    ['left', `${inr(approved.payment.from_balance)} INR`, 'the limits were checked again at that moment'],
  ])
}

export async function stopAgent(
  { client, paper }: Stage,
  { payer, payee }: Agents,
  session: Headers,
): Promise<void> {
  paper.chapter('She pauses the agent')
  const params = { agent_id: payer.id }
  const { status } = await client.ok(routes.pauseAgent, { params, headers: session })
  const { error } = await client.refused(routes.pay, {
    params,
    headers: payer.headers,
    body: { to: payee.handle, amount: 1 },
  })
  insist(error.code === 'policy_denied', 'a paused agent cannot pay')
  paper.facts([
    ['agent', status],
    ['its next payment', error.message],
  ])
  const resumed = await client.ok(routes.resumeAgent, { params, headers: session })
  paper.proof(`Resumed: ${resumed.status}.`)
}
