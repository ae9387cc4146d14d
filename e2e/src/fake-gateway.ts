import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Env } from './service.ts'

const RUN = fileURLToPath(
  new URL('../../service/src/gateways/cashfree/testing/run-fake-cashfree.ts', import.meta.url),
)

export interface SignedWebhook {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export type Json = Readonly<Record<string, unknown>>

export interface Attempt {
  readonly status?: string
  /** `upi`, `credit_card`, `net_banking`. */
  readonly group?: string
}

export interface Seen {
  readonly lines: readonly string[]
  readonly violations: readonly string[]
  readonly refunds: readonly { readonly order_id: string; readonly refund_status: string }[]
  readonly transfers: readonly { readonly transfer_id: string; readonly transfer_amount: number }[]
}

/** A gateway in its own process that speaks Cashfree's protocol, with the actions of payers and banks. */
export interface FakeGateway {
  /** The configuration of a service that uses it. */
  readonly settings: Env
  /** An attempt to pay, which succeeds unless its status says otherwise; returns its id. */
  pay(orderId: string, attempt?: Attempt): Promise<string>
  /** A bank reverses a payment, or tries to. */
  dispute(orderId: string, paymentId: string, status: string): Promise<void>
  setTransfer(transferId: string, status: string, utr?: string, statusCode?: string): Promise<void>
  /** An entry of the gateway's records. */
  record(entry: Json): Promise<void>
  /** From now on responses to requests that start with this (`GET /pg/orders`) have these additional fields. */
  responsesHave(line: string, fields: Json): Promise<void>
  /** The next response to such a request is a refusal with this code, or this text instead of JSON. */
  nextIsRefused(line: string, status: number, code: string): Promise<void>
  nextIsText(line: string, text: string): Promise<void>
  bankResponds(bankAccount: string, result: Json): Promise<void>
  /** A signed webhook, of payments or of payouts. */
  webhook(by: 'payments' | 'payouts', type: string, data: unknown): Promise<SignedWebhook>
  state(): Promise<Seen>
  close(): Promise<void>
}

interface Message {
  readonly settings?: Env
  readonly id?: number
  readonly reply?: string
}

export async function startFakeGateway(): Promise<FakeGateway> {
  const child = fork(RUN, { env: { PATH: process.env['PATH'] ?? '' }, execArgv: [] })
  const waiting = new Map<number, (reply: unknown) => void>()
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const settings = await new Promise<Env>((resolve, reject) => {
    child.once('exit', code => reject(new Error(`the fake gateway ended with ${code}`)))
    child.on('message', ({ settings: first, id, reply }: Message) => {
      if (first !== undefined) resolve(first)
      if (id !== undefined && reply !== undefined) waiting.get(id)?.(JSON.parse(reply))
    })
  })
  let count = 0
  function perform<Reply>(action: object): Promise<Reply> {
    const id = count++
    return new Promise(resolve => {
      waiting.set(id, reply => resolve(reply as Reply))
      child.send({ id, action })
    })
  }
  return {
    settings,
    pay: (orderId, options = {}) => perform({ act: 'pay', orderId, options }),
    dispute: (orderId, paymentId, status) => perform({ act: 'dispute', orderId, paymentId, status }),
    record: entry => perform({ act: 'record', entry }),
    responsesHave: (line, fields) => perform({ act: 'responses have', addition: { line, fields } }),
    nextIsRefused: (line, status, code) =>
      perform({ act: 'next fails', line, fault: { kind: 'refuse', status, code } }),
    nextIsText: (line, text) => perform({ act: 'next fails', line, fault: { kind: 'text', text } }),
    setTransfer: (transferId, status, utr, statusCode) =>
      perform({
        act: 'set transfer',
        transferId,
        state: {
          status,
          status_code: statusCode ?? (status === 'SUCCESS' ? 'COMPLETED' : status),
          transfer_utr: utr ?? null,
        },
      }),
    bankResponds: (bankAccount, result) => perform({ act: 'bank responds', bankAccount, result }),
    webhook: (by, type, data) => perform({ act: 'webhook', by, type, data }),
    state: () => perform({ act: 'state' }),
    async close() {
      child.disconnect()
      await ended
    },
  }
}
