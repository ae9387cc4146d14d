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
  pay(orderId: string): Promise<string>
  setTransfer(transferId: string, status: string, utr?: string): Promise<void>
  bankSays(bankAccount: string, said: Readonly<Record<string, unknown>>): Promise<void>
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
    pay: orderId => tell({ act: 'pay', orderId }),
    setTransfer: (transferId, status, utr) =>
      tell({
        act: 'set transfer',
        transferId,
        state: {
          status,
          status_code: status === 'SUCCESS' ? 'COMPLETED' : status,
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
