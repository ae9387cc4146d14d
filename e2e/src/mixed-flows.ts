import { randomInt } from 'node:crypto'
import { routes } from '@batua/contract'
import { type Acknowledged, type Client, doneBefore, unexpected } from './acknowledged.ts'
import type { Headers } from './api.ts'
import type { Agent } from './network.ts'

/** Who takes part in a flow. */
export interface Cast {
  readonly payer: Agent
  readonly payee: Agent
  /** Its payments above 1 INR wait for the owner. */
  readonly asking: Agent
  /** Two agents with little money, which each of them gives away whole. */
  readonly poor: readonly [Agent, Agent]
  /** The session of the owner of all of them. */
  readonly session: Headers
}

/** One thing that a client does, from its beginning to its end; `key` is used by no other one. */
export type Flow = (client: Client, cast: Cast, key: string) => Promise<Acknowledged>

const by = (agent: Agent) => ({ params: { agent_id: agent.id }, headers: agent.headers })

async function paymentsWith(client: Client, agent: Agent, idempotency_key: string) {
  const { payments } = await client.ok(routes.listPayments, { ...by(agent), query: { idempotency_key } })
  return payments
}

const fault = (isFault: boolean, text: string) => (isFault ? [text] : [])

/** A payment waits for its owner, who approves it, or rejects every fourth. */
const approval: Flow = async (client, { asking, payee, session }, key) => {
  const body = { to: payee.id, amount: 2, idempotency_key: key }
  const asked = await client.sure(routes.pay, { ...by(asking), body })
  const { approval_id } =
    asked.status === 200
      ? (asked.body as { approval_id: unknown })
      : doneBefore(routes.pay, asked, 'idempotency_error')
  const params = { approval_id: String(approval_id) }
  const status = randomInt(4) === 0 ? 'rejected' : 'approved'
  const route = status === 'rejected' ? routes.reject : routes.approve
  const decided = await client.sure(route, { params, headers: session, body: {} })
  if (decided.status !== 200) {
    const before = doneBefore(route, decided, 'conflict')
    if (before['status'] !== status) throw unexpected(route, decided)
  }
  const acknowledged = decided.status === 200 ? (decided.body as { payment_id: string | null }) : null
  return {
    key,
    async faults(ask) {
      const now = await ask.ok(routes.getApproval, { params, headers: session })
      const payments = await paymentsWith(ask, asking, key)
      return [
        ...fault(now.status !== status, `was ${status} and is ${now.status}`),
        ...fault(payments.length !== (status === 'approved' ? 1 : 0), `was paid ${payments.length} times`),
        ...fault(
          payments.some(({ payment_id }) => payment_id !== now.payment_id),
          'is another payment',
        ),
        ...fault(
          acknowledged !== null && acknowledged.payment_id !== now.payment_id,
          'was acknowledged as another',
        ),
      ]
    },
  }
}

/** Money is held, and released or refunded. A hold whose outcome is not known is made again later, with its key. */
const escrow: Flow = async (client, { payer, payee }, key) => {
  const { headers } = payer.owner.platform
  const body = { amount: 3, to_agent_id: payee.id, reference: key }
  const hold = { params: { agent_id: payer.id }, headers: { ...headers, 'idempotency-key': key }, body }
  const held = await client.once(routes.holdEscrow, hold)
  if (held === null) {
    return {
      key,
      async faults(ask) {
        const { escrow_id } = await ask.ok(routes.holdEscrow, hold)
        const again = await ask.ok(routes.holdEscrow, hold)
        return fault(again.escrow_id !== escrow_id, 'is another hold each time')
      },
    }
  }
  const { escrow_id } = held.body as { escrow_id: string }
  if (held.status !== 201) throw unexpected(routes.holdEscrow, held)
  const params = { escrow_id }
  const status = randomInt(2) === 0 ? 'released' : 'refunded'
  const route = status === 'released' ? routes.releaseEscrow : routes.refundEscrow
  const ended = await client.sure(route, { params, headers, ...(status === 'released' ? { body: {} } : {}) })
  if (ended.status !== 200 && doneBefore(route, ended, 'conflict')['status'] !== status)
    throw unexpected(route, ended)
  return {
    key,
    async faults(ask) {
      const now = await ask.ok(routes.getEscrow, { params, headers })
      return fault(now.status !== status, `${escrow_id} was ${status} and is ${now.status}`)
    },
  }
}

/** Two requests with the same payment reach a seller at the same moment: its nonce is accepted for one of them. */
const nonce: Flow = async (client, { payer, payee }, key) => {
  const body = { to: payee.id, amount: 1, reference: key, idempotency_key: key }
  const paid = await client.sure(routes.pay, { ...by(payer), body })
  const { payment_id } =
    paid.status === 200
      ? (paid.body as { payment_id: unknown })
      : doneBefore(routes.pay, paid, 'idempotency_error')
  const consume = async (at: Client, consume_id: string) => {
    const query = { nonce: key, consume: true, consume_id }
    const params = { txn_id: String(payment_id) }
    const { verified, ...rest } = await at.ok(routes.verifyTransaction, {
      params,
      query,
      headers: payee.headers,
    })
    return verified ? 'verified' : 'reason' in rest ? rest.reason : 'not verified'
  }
  const outcomes = await Promise.all(['first', 'second'].map(name => consume(client, `${name} of ${key}`)))
  const [winner] = outcomes[0] === 'verified' ? ['first'] : ['second']
  if (outcomes.toSorted().join() !== 'nonce_already_used,verified')
    throw new Error(`${key}: two got ${outcomes.join()}`)
  return {
    key,
    async faults(ask) {
      const [again, another] = await Promise.all([
        consume(ask, `${winner} of ${key}`),
        consume(ask, `third of ${key}`),
      ])
      const payments = await paymentsWith(ask, payer, key)
      return [
        ...fault(again !== 'verified', `the use that was acknowledged is ${again}`),
        ...fault(another !== 'nonce_already_used', `another use is ${another}`),
        ...fault(payments.length !== 1, `was paid ${payments.length} times`),
      ]
    },
  }
}

/** Money is set aside, captured in two parts and given back. */
const authorization: Flow = async (client, { payer, payee }, key) => {
  const body = { to: payee.id, amount: 10, idempotency_key: key }
  const made = await client.sure(routes.authorize, { ...by(payer), body })
  const { authorization_id } =
    made.status === 201
      ? (made.body as { authorization_id: unknown })
      : doneBefore(routes.authorize, made, 'idempotency_error')
  const call = { params: { authorization_id: String(authorization_id) }, headers: payee.headers }
  for (const total of [2, 5]) await client.ok(routes.captureAuthorization, { ...call, body: { total } })
  const closed = await client.sure(routes.closeAuthorization, call)
  if (closed.status !== 200) doneBefore(routes.closeAuthorization, closed, 'conflict')
  return {
    key,
    async faults(ask) {
      const now = await ask.ok(routes.getAuthorization, call)
      const is = `${now.status}, ${now.captured} captured`
      return fault(is !== 'closed, 5 captured', `${call.params.authorization_id} is ${is}`)
    },
  }
}

/** INR. */
const POOR_BELOW = 20
const TOP_UP = 100

interface TopUp {
  readonly from: Agent
  readonly to: Agent
  readonly key: string
}

async function topUp(client: Client, { from, to, key }: TopUp): Promise<void> {
  const body = { to: to.id, amount: TOP_UP, idempotency_key: key }
  const reply = await client.sure(routes.pay, { ...by(from), body })
  if (reply.status !== 200) doneBefore(routes.pay, reply, 'idempotency_error')
}

/** An agent sends the whole of its money twice at the same moment; it has it once. */
const wholeBalance: Flow = async (client, { payer, poor }, key) => {
  const [one, other] = poor
  const balances = await Promise.all(
    poor.map(async agent => (await client.ok(routes.getBalance, by(agent))).available),
  )
  const [from, to] = (balances[0] ?? 0) >= (balances[1] ?? 0) ? [one, other] : [other, one]
  const available = Math.max(...balances)
  const isToppedUp = available < POOR_BELOW
  if (isToppedUp) await topUp(client, { from: payer, to: from, key: `${key}-more` })
  const amount = Math.floor((available + (isToppedUp ? TOP_UP : 0)) / 1.005) - 1
  const pays = await Promise.all(
    ['a', 'b'].map(async name => {
      const idempotency_key = `${key}-${name}`
      const body = { to: to.id, amount, idempotency_key }
      const reply = await client.sure(routes.pay, { ...by(from), body })
      if (reply.status === 402) return { idempotency_key, times: 0 }
      if (reply.status !== 200) doneBefore(routes.pay, reply, 'idempotency_error')
      return { idempotency_key, times: 1 }
    }),
  )
  return {
    key,
    async faults(ask) {
      const found = await Promise.all(
        pays.map(async ({ idempotency_key, times }) =>
          fault(
            (await paymentsWith(ask, from, idempotency_key)).length !== times,
            `${idempotency_key} is not there ${times} times`,
          ),
        ),
      )
      return [
        ...fault(pays[0]?.times === pays[1]?.times, 'the same money was not paid exactly once'),
        ...found.flat(),
      ]
    },
  }
}

export const FLOWS = { approval, escrow, nonce, authorization, wholeBalance } as const
