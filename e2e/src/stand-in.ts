import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Env } from './service.ts'

const RUN = fileURLToPath(
  new URL('../../service/src/gateways/cashfree/testing/run-fake-cashfree.ts', import.meta.url),
)

export interface Notice {
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

/** A gateway of its own process that speaks Cashfree's protocol, and the hands of payers and banks in it. */
export interface StandIn {
  /** What a service is configured with to use it. */
  readonly settings: Env
  /** An attempt to pay, which succeeds unless its status says otherwise; answers its id. */
  pay(orderId: string, attempt?: Attempt): Promise<string>
  /** A bank takes a payment back, or tries to. */
  dispute(orderId: string, paymentId: string, status: string): Promise<void>
  setTransfer(transferId: string, status: string, utr?: string, statusCode?: string): Promise<void>
  /** An entry of the gateway's records. */
  record(entry: Json): Promise<void>
  /** From now on answers to requests whose line begins so (`GET /pg/orders`) have these fields too. */
  answersHave(line: string, fields: Json): Promise<void>
  /** The next answer to such a request is a refusal with this code, or this text in place of JSON. */
  nextIsRefused(line: string, status: number, code: string): Promise<void>
  nextIsText(line: string, text: string): Promise<void>
  bankSays(bankAccount: string, said: Json): Promise<void>
  /** A signed webhook, of payments or of payouts. */
  notice(by: 'payments' | 'payouts', type: string, data: unknown): Promise<Notice>
  look(): Promise<Seen>
  close(): Promise<void>
}

interface Message {
  readonly settings?: Env
  readonly id?: number
  readonly answer?: string
}

export async function startStandIn(): Promise<StandIn> {
  const child = fork(RUN, { env: { PATH: process.env['PATH'] ?? '' }, execArgv: [] })
  const waiting = new Map<number, (answer: unknown) => void>()
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const settings = await new Promise<Env>((resolve, reject) => {
    child.once('exit', code => reject(new Error(`the stand-in ended with ${code}`)))
    child.on('message', ({ settings: first, id, answer }: Message) => {
      if (first !== undefined) resolve(first)
      if (id !== undefined && answer !== undefined) waiting.get(id)?.(JSON.parse(answer))
    })
  })
  let count = 0
  function tell<Answer>(told: object): Promise<Answer> {
    const id = count++
    return new Promise(resolve => {
      waiting.set(id, answer => resolve(answer as Answer))
      child.send({ id, told })
    })
  }
  return {
    settings,
    pay: (orderId, options = {}) => tell({ act: 'pay', orderId, options }),
    dispute: (orderId, paymentId, status) => tell({ act: 'dispute', orderId, paymentId, status }),
    record: entry => tell({ act: 'record', entry }),
    answersHave: (line, fields) => tell({ act: 'answers have', addition: { line, fields } }),
    nextIsRefused: (line, status, code) =>
      tell({ act: 'next fails', line, fault: { kind: 'refuse', status, code } }),
    nextIsText: (line, text) => tell({ act: 'next fails', line, fault: { kind: 'text', text } }),
    setTransfer: (transferId, status, utr, statusCode) =>
      tell({
        act: 'set transfer',
        transferId,
        state: {
          status,
          status_code: statusCode ?? (status === 'SUCCESS' ? 'COMPLETED' : status),
          transfer_utr: utr ?? null,
        },
      }),
    bankSays: (bankAccount, said) => tell({ act: 'bank says', bankAccount, said }),
    notice: (by, type, data) => tell({ act: 'notice', by, type, data }),
    look: () => tell({ act: 'look' }),
    async close() {
      child.disconnect()
      await ended
    },
  }
}
