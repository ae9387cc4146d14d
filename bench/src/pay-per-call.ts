import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Client, createClient, payingFetch } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { memoryNonceStore } from '@batua/sdk/seller'
import type { Cleanup } from './cleanup.ts'
import { figure, median, percentile } from './figures.ts'
import { type Goal, verdict } from './goals.ts'
import { table } from './markdown.ts'
import type { Payer } from './messages.ts'

/** The cost of a paid call and of its parts. */
export interface PayPerCallReport {
  readonly turns: number
  readonly steps: readonly Step[]
  /** A paid call minus the payment and the verification of the same turn: the median. */
  readonly overheadMs: number
  /** The number of payments, including the warm-up. */
  readonly payments: number
}

interface Step {
  readonly what: string
  readonly p50Ms: number
  readonly p99Ms: number
}

const PRICE_INR = 2.5
/** Until V8 has compiled the code of a call. */
const WARM_UP = 300
const TURNS_PER_ROUND = 200
/** With the warm-up, as many as the buyer’s opening balance allows. */
const MOST_TURNS = 600
const OVERHEAD_MS = 2

interface Parties {
  readonly buyer: Payer
  readonly seller: Payer
  readonly buying: Client
  readonly selling: Client
}

/**
 * One buyer and one seller with the client, the paying fetch and the paywall of the sdk. A payment, its verification,
 * a free call and two paid calls alternate, in one order and then in the other: one that the service verifies, and one
 * that the seller verifies by the receipt.
 */
export async function measurePayPerCall(
  address: string,
  [buyer, seller]: readonly Payer[],
  {
    rounds,
    undo,
    say,
  }: { readonly rounds: number; readonly undo: Cleanup; readonly say: (line: string) => void },
): Promise<PayPerCallReport> {
  if (buyer === undefined || seller === undefined) throw new Error('pay-per-call takes two agents')
  say('pay-per-call: a payment, its verification and a paid call in turns')
  const buying = createClient({ baseUrl: address, agentKey: buyer.key })
  const selling = createClient({ baseUrl: address, agentKey: seller.key })
  const parties = { buyer, seller, buying, selling }
  const serveCall: RequestListener = (_request, response) => void response.end('sunny')
  const free = await listen(serveCall, undo)
  const offer = { client: selling, payTo: seller.handle, amount: PRICE_INR }
  const paid = await listen(requirePayment(offer, serveCall), undo)
  const proven = await listen(requirePayment({ ...offer, nonces: memoryNonceStore() }, serveCall), undo)
  const fetch = payingFetch(globalThis.fetch, { client: buying, maxAmount: PRICE_INR, allowHttp: true })
  const steps = [
    () => payAndVerify(parties),
    async () => ({ freeMs: await timed(() => call(globalThis.fetch, free)) }),
    async () => ({ paidMs: await timed(() => call(fetch, paid)) }),
    async () => ({ provenMs: await timed(() => call(fetch, proven)) }),
  ]
  const turns: Turn[] = []
  const wanted = Math.min(rounds * TURNS_PER_ROUND, MOST_TURNS)
  for (let turn = -WARM_UP; turn < wanted; turn++) {
    const measured = {}
    for (const step of turn % 2 === 0 ? steps : steps.toReversed()) Object.assign(measured, await step())
    if (turn >= 0) turns.push(measured as Turn)
  }
  return reportOf(turns)
}

interface Turn {
  readonly payMs: number
  readonly verifyMs: number
  readonly freeMs: number
  readonly paidMs: number
  readonly provenMs: number
}

function reportOf(turns: readonly Turn[]): PayPerCallReport {
  const steps = (Object.keys(STEPS) as (keyof Turn)[]).map(name => {
    const times = turns.map(turn => turn[name])
    return { what: STEPS[name], p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }
  })
  return {
    turns: turns.length,
    steps,
    overheadMs: median(turns.map(({ paidMs, payMs, verifyMs }) => paidMs - payMs - verifyMs)),
    payments: 3 * (WARM_UP + turns.length),
  }
}

const STEPS: Readonly<Record<keyof Turn, string>> = {
  payMs: 'a payment',
  verifyMs: 'its verification, which consumes the nonce',
  freeMs: 'a free call',
  paidMs: 'a paid call: price, payment, repeated request, verification, response',
  provenMs: 'the same if the seller keeps used nonces, so that the receipt is enough',
}

async function payAndVerify({
  buyer,
  seller,
  buying,
  selling,
}: Parties): Promise<Pick<Turn, 'payMs' | 'verifyMs'>> {
  const nonce = randomUUID()
  const order = { agent_id: buyer.id, to: seller.handle, amount: PRICE_INR, reference: nonce }
  let txn_id = ''
  const payMs = await timed(async () => {
    // Like the paying fetch: the unique reference is its key.
    const { payment_id } = await buying.pay({ ...order, unique_reference: true }, { idempotencyKey: null })
    txn_id = payment_id ?? ''
  })
  const verifyMs = await timed(async () => {
    const expected = { expected_payee: seller.handle, expected_amount: PRICE_INR, nonce }
    const { verified } = await selling.verifyTransaction({
      txn_id,
      ...expected,
      consume: true,
      consume_id: randomUUID(),
    })
    if (!verified) throw new Error(`the payment ${txn_id} does not verify`)
  })
  return { payMs, verifyMs }
}

async function call(fetch: typeof globalThis.fetch, url: string): Promise<void> {
  const response = await fetch(url)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`a call returned ${response.status}: ${text}`)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

async function listen(listener: RequestListener, undo: Cleanup): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  undo.add(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/weather`
}

export function goalsOfPayPerCall(report: PayPerCallReport | null): Goal[] {
  const overheadMs = report?.overheadMs ?? Number.NaN
  return [
    {
      name: 'a paid call minus a payment and a verification, median',
      measured: `${figure(overheadMs, 2)} ms`,
      wanted: `under ${OVERHEAD_MS} ms`,
      verdict: verdict(overheadMs, overheadMs < OVERHEAD_MS),
    },
  ]
}

export function renderPayPerCall({ steps, turns, overheadMs }: PayPerCallReport): string {
  const rows = steps.map(({ what, p50Ms, p99Ms }) => [what, figure(p50Ms, 2), figure(p99Ms, 2)])
  return [
    `One buyer and one seller with the sdk, over HTTP on the same machine, one request at a time. Each of these was measured ${figure(turns)} times, alternately and every second time in the opposite order. Buyer and seller share a process.`,
    table(['', 'p50 ms', 'p99 ms'], rows),
    `A paid call takes ${figure(overheadMs, 2)} ms more than a payment and a verification (median).`,
  ].join('\n\n')
}
