import { EVENTS, type EventName, routes, WebhookBody } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Agent, shown } from './src/network.ts'
import { schemaFaultOf } from './src/responses.ts'
import { type Listener, openWebhookStage, until, type WebhookStage } from './src/webhook-stage.ts'

let stage: WebhookStage
let first: Listener
let second: Listener
let stranger: Listener
/** An agent of the first platform, with a verified owner. */
let payer: Agent

beforeAll(async () => {
  stage = await openWebhookStage()
  ;[first, second, stranger] = await Promise.all([stage.listener(), stage.listener(), stage.listener()])
  const { network } = stage
  const owner = await network.owner(first.platform)
  await network.verify(owner)
  payer = await network.agent(owner)
  await network.fund(payer, 10_000)
})
afterAll(async () => {
  const listeners = [first, second, stranger]
  expect(listeners.flatMap(({ receiver }) => receiver.faults)).toEqual([])
  expect(listeners.flatMap(({ bodies }) => bodies()).flatMap(faultsOf)).toEqual([])
  await stage.close()
})

/** The differences of an event from the contract. */
function faultsOf(body: WebhookBody): string[] {
  const faults = [
    schemaFaultOf('WebhookBody', WebhookBody, body),
    schemaFaultOf(body.event, EVENTS[body.event], body.data),
    body.type === body.event ? null : `${body.event} has the type ${body.type}`,
  ]
  return faults.filter(fault => fault !== null)
}

async function pay(amount: number, to: Agent, extras = {}): Promise<string> {
  return shown((await stage.network.pay(payer, to, amount, extras)).payment_id)
}

/** The events of one payment. */
function ofPayment({ bodies }: Listener, paymentId: string): WebhookBody[] {
  return bodies().filter(({ data }) => data['payment_id'] === paymentId)
}

test('a payment is delivered to both sides’ platforms, each its own event, and to no other', async () => {
  const payment_id = await pay(12.34, second.agent, { reference: 'invoice-1' })
  await until(() => ofPayment(first, payment_id).length > 0 && ofPayment(second, payment_id).length > 0)
  const common = { payment_id, amount: 12.34, reference: 'invoice-1' }
  const [sent, received] = [ofPayment(first, payment_id), ofPayment(second, payment_id)]
  expect(sent).toMatchObject([
    {
      event: 'agent.payment.sent',
      data: { ...common, agent_id: payer.id, to: second.agent.id, fee: 1 },
    },
  ])
  expect(received).toMatchObject([
    { event: 'agent.payment.received', data: { ...common, agent_id: second.agent.id, from: payer.id } },
  ])
  expect(sent[0]?.id).not.toBe(received[0]?.id)
  expect(stranger.receiver.hits()).toBe(0)
})

test('a payment within one platform is delivered there as two events', async () => {
  const payment_id = await pay(5, first.agent)
  await until(() => ofPayment(first, payment_id).length === 2)
  const events = ofPayment(first, payment_id)
  expect(events.map(({ event, data }) => [event, data['agent_id']]).toSorted()).toEqual([
    ['agent.payment.received', first.agent.id],
    ['agent.payment.sent', payer.id],
  ])
  expect(new Set(events.map(({ id }) => id)).size).toBe(2)
})

test('the sequence of an agent’s events increases in the order of its transfers', async () => {
  const order: string[] = []
  for (let count = 1; count <= 6; count++) {
    order.push(await pay(count, second.agent))
  }
  for (const listener of [first, second]) {
    await until(() => order.every(id => ofPayment(listener, id).length === 1))
    const sequences = order.map(id => ofPayment(listener, id)[0]?.sequence ?? Number.NaN)
    expect(sequences).toEqual(sequences.map((_, index) => (sequences[0] ?? 0) + index))
  }
})

test('events of agents, owners and certificates are delivered to their platform', async () => {
  const { api, network } = stage
  const { platform, agent, bodies, happen } = await stage.listener()
  const { headers } = platform
  await network.verify(agent.owner)
  await network.fund(agent, 100)
  await happen()
  const ofAgent = { headers, params: { agent_id: agent.id } }
  const { certificates } = await api.ok(routes.listCertificates, ofAgent)
  const params = { cert_id: certificates[0]?.id ?? '' }
  await api.ok(routes.revokeCertificate, { headers, params, body: { reason: 'Key compromised' } })
  const wanted: Partial<Record<EventName, object>> = {
    'owner.kyc.updated': { owner_id: agent.owner.id, kyc_status: 'verified', tier: 'tier1', reason: null },
    'agent.funded': { agent_id: agent.id, amount: 100, fee: 2.5, net_amount: 97.5 },
    'agent.status.changed': { agent_id: agent.id, status: 'paused', previous_status: 'active' },
    'certificate.revoked': { agent_id: agent.id, certificate_id: params.cert_id, reason: 'Key compromised' },
  }
  const names = Object.keys(wanted) as EventName[]
  // The verification raised the tier, so the earlier default certificate was renewed.
  const own = (name: EventName) =>
    bodies(name).filter(({ data }) => !('reason' in data && data.reason === 'renewed'))
  await until(() => names.every(name => own(name).length > 0))
  for (const name of names) {
    expect(own(name)).toMatchObject([{ data: wanted[name] }])
    expect(own(name).flatMap(faultsOf)).toEqual([])
  }
})
