import { randomUUID } from 'node:crypto'
import { type PaymentResult, routes } from '@batua/contract'
import type { Agents } from './cast.ts'
import { inr } from './money.ts'
import { type Actor, insist, type Stage } from './stage.ts'

export async function fundWallet({ client, paper }: Stage, agent: Actor): Promise<void> {
  paper.chapter('The owner adds 1,000 INR to the researcher’s wallet')
  const session = await client.ok(routes.createFunding, {
    params: { agent_id: agent.id },
    headers: agent.headers,
    body: { amount: 1000, method: 'upi' },
  })
  paper.facts([['checkout', session.checkout_url]])
  paper.say('The owner would pay on this page; here the sandbox simulates her payment.')
  await client.ok(routes.completeSandboxPayment, {
    params: { payment_session_id: session.payment_session_id },
    body: { outcome: 'success' },
  })
  const funding = await client.ok(routes.getFunding, {
    params: { agent_id: agent.id, funding_id: session.funding_id },
    headers: agent.headers,
  })
  insist(funding.status === 'completed', 'a paid session completes the funding')
  paper.facts([
    ['paid', `${inr(funding.amount)} INR`],
    ['gateway fee', `${inr(funding.fee ?? 0)} INR`, '2.5 %'],
    ['credited', `${inr(funding.net_amount ?? 0)} INR`],
  ])
}

export async function makePayment({ client, paper }: Stage, { payer, payee }: Agents): Promise<string> {
  paper.chapter('An agent pays another agent')
  const payment = await client.ok(routes.pay, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: {
      to: payee.handle,
      amount: 400,
      reference: 'invoice-2041',
      note: 'Translation of 12 pages',
      idempotency_key: randomUUID(),
    },
  })
  paper.facts([
    ['payment', idOf(payment)],
    ['amount', `${inr(400)} INR`],
    ['fee', `${inr(payment.cost)} INR`, '0.5 %, at least 1 INR; the payer pays it on top'],
    ['left', `${inr(payment.from_balance)} INR`],
  ])
  return idOf(payment)
}

export async function exceedLimit({ client, paper }: Stage, { payer, payee }: Agents): Promise<void> {
  paper.chapter('A payment above the limit is refused, and the response says what would pass')
  const { error } = await client.refused(routes.pay, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: { to: payee.handle, amount: 600 },
  })
  insist(error.code === 'spend_limit_exceeded', 'a payment above the limit is refused')
  paper.say(`${error.code}: ${error.message}.`)
  paper.facts(Object.entries(error.details ?? {}).map(([name, value]) => [name, String(value)]))
}

export async function recoverLostResponse({ client, paper }: Stage, { payer, payee }: Agents): Promise<void> {
  paper.chapter('A response is lost, and nothing is paid twice')
  const call = {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: { to: payee.handle, amount: 80, idempotency_key: randomUUID() },
  }
  await client.loseResponse(routes.pay, call)
  paper.say(
    'The connection broke before the response arrived. The same call with the same key says whether it was paid:',
  )
  const { error } = await client.refused(routes.pay, call)
  insist(error.code === 'idempotency_error', 'a key that was used is refused')
  const paymentId = String(error.details?.['payment_id'])
  const payment = await client.ok(routes.getPayment, {
    params: { agent_id: payer.id, payment_id: paymentId },
    headers: payer.headers,
  })
  paper.facts([
    ['payment', paymentId, 'made by the first call, named by the second'],
    ['amount', `${inr(payment.amount)} INR`],
    ['left', `${inr(payment.from_balance)} INR`],
  ])
  const { payments } = await client.ok(routes.listPayments, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    query: { idempotency_key: call.body.idempotency_key },
  })
  insist(payments.length === 1, 'one key makes one payment')
  paper.proof('Two calls, one payment.')
}

export async function refundPart(
  { client, paper }: Stage,
  { payee }: Agents,
  paymentId: string,
): Promise<void> {
  paper.chapter('The translator refunds 100 INR')
  const refund = await client.ok(routes.refundPayment, {
    params: { payment_id: paymentId },
    headers: payee.headers,
    body: { amount: 100, idempotency_key: randomUUID() },
  })
  paper.facts([
    ['refund', refund.refund_id],
    ['amount', `${inr(refund.amount)} INR`, 'without a fee; all refunds together never exceed the payment'],
  ])
}

function idOf({ payment_id: id }: PaymentResult): string {
  insist(id !== null, 'a completed payment has an id')
  return id
}
