import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type ErrorEnvelope, routes } from '@batua/contract'
import { type Headers, pathOf, type Reply, request } from './api.ts'
import type { Agent } from './network.ts'

/** One payment of a client, and its result. */
export interface Attempt {
  readonly key: string
  readonly from: Agent
  readonly to: Agent
  readonly amount: number
  /** Whether the key is in the body or in the header Idempotency-Key. */
  readonly keyIn: 'body' | 'header'
  readonly outcome: Outcome
}

export type Outcome =
  | { readonly kind: 'paid'; readonly paymentId: string }
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly code: string
      readonly paymentId: string | null
    }
  /** No response, or one with an unknown outcome: it may have happened or not. */
  | { readonly kind: 'unknown'; readonly promisedNothing: boolean }

export interface Load {
  readonly attempts: readonly Attempt[]
  /** Lets every client finish its current call. */
  stop(): Promise<void>
}

export interface LoadOptions {
  readonly clients: number
  readonly agents: readonly Agent[]
  readonly maxPaise: number
  /** What a client does without a response: try the next payment, or end. */
  readonly onNoResponse: 'go on' | 'end'
  /** How long a client waits for a response; absent: for ever. */
  readonly patienceMs?: number
}

let runs = 0

/** Several clients pay between random agents until stopped, each payment with its own key. */
export function startLoad(
  address: string,
  { clients, agents, maxPaise, onNoResponse, patienceMs }: LoadOptions,
): Load {
  const attempts: Attempt[] = []
  const run = `run${runs++}`
  const stopping = new AbortController()

  async function client(name: string): Promise<void> {
    for (let count = 0; !stopping.signal.aborted; count++) {
      const [from, to] = twoOf(agents)
      const amount = randomInt(1, maxPaise + 1) / 100
      const keyIn = count % 4 === 0 ? 'header' : 'body'
      const order = { key: `${run}-${name}-${count}`, from, to, amount, keyIn } as const
      const outcome = await pay(address, order, patienceMs)
      attempts.push({ ...order, outcome })
      if (outcome.kind !== 'unknown') continue
      if (onNoResponse === 'end') return
      await delay(SILENCE_PAUSE_MS)
    }
  }
  const running = Array.from({ length: clients }, (_, index) => client(String(index)))
  return {
    attempts,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

const SILENCE_PAUSE_MS = 20

function twoOf(agents: readonly Agent[]): [Agent, Agent] {
  const first = randomInt(agents.length)
  const second = (first + 1 + randomInt(agents.length - 1)) % agents.length
  const [from, to] = [agents[first], agents[second]]
  if (from === undefined || to === undefined) throw new Error('a load needs two agents')
  return [from, to]
}

/** Pays once with the order's key; returns the outcome. */
export async function pay(
  address: string,
  order: Omit<Attempt, 'outcome'>,
  patienceMs?: number,
): Promise<Outcome> {
  try {
    return outcomeOf(await sendPayment(address, order, patienceMs))
  } catch {
    return { kind: 'unknown', promisedNothing: false }
  }
}

function sendPayment(
  address: string,
  { from, to, amount, key, keyIn }: Omit<Attempt, 'outcome'>,
  patienceMs: number | undefined,
): Promise<Reply> {
  const inHeader: Headers = keyIn === 'header' ? { 'idempotency-key': key } : {}
  const inBody = keyIn === 'body' ? { idempotency_key: key } : {}
  return request(address, 'POST', pathOf(routes.pay, { params: { agent_id: from.id } }), {
    headers: { ...from.headers, ...inHeader },
    body: { to: to.id, amount, reference: key, ...inBody },
    ...(patienceMs !== undefined && { patienceMs }),
  })
}

function outcomeOf({ status, body, text }: Reply): Outcome {
  if (status === 200) return { kind: 'paid', paymentId: String((body as { payment_id: unknown }).payment_id) }
  if (status >= 400 && status < 500) {
    const { code, details } = (body as ErrorEnvelope).error
    const paymentId = details?.['payment_id']
    return { kind: 'refused', status, code, paymentId: typeof paymentId === 'string' ? paymentId : null }
  }
  if (status === 503) return { kind: 'unknown', promisedNothing: text.includes('Nothing was done') }
  throw new Error(`a payment got ${status} ${text}`)
}
