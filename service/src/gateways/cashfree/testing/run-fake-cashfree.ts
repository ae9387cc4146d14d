import { FAKE_SECRETS, startFakeCashfree } from './fake-cashfree.ts'
import type { PaymentOptions } from './fake-payments.ts'
import type { TransferState } from './fake-payouts.ts'
import type { Addition } from './fake-server.ts'
import type { Fault } from './faults.ts'
import type { Fields } from './reply.ts'

// The stand-in as a process of its own, for tests that see the service from outside: it is told what the world does by
// messages, each of which it answers.

/** What payers, banks and the network do, and what can be asked of the stand-in. */
export type Told =
  | { readonly act: 'pay'; readonly orderId: string; readonly options?: PaymentOptions }
  | {
      readonly act: 'dispute'
      readonly orderId: string
      readonly paymentId: string
      readonly status: string
    }
  | { readonly act: 'record'; readonly entry: Fields }
  | { readonly act: 'answers have'; readonly addition: Addition }
  | { readonly act: 'next fails'; readonly line: string; readonly fault: Fault }
  | { readonly act: 'transfers become'; readonly state: TransferState }
  | { readonly act: 'set transfer'; readonly transferId: string; readonly state: TransferState }
  | {
      readonly act: 'bank says'
      readonly bankAccount: string
      readonly said: Readonly<Record<string, unknown>>
    }
  | {
      readonly act: 'notice'
      readonly type: string
      readonly data: unknown
      readonly by: keyof typeof FAKE_SECRETS
    }
  | { readonly act: 'look' }

const fake = await startFakeCashfree()

function play(told: Told): unknown {
  switch (told.act) {
    case 'pay':
      return fake.payments.pay(told.orderId, told.options)
    case 'dispute':
      return fake.payments.dispute(told.orderId, told.paymentId, told.status)
    case 'record':
      return fake.payments.record(told.entry)
    case 'answers have':
      return fake.additions.push(told.addition)
    case 'next fails':
      return fake.faults.next(told.line, told.fault)
    case 'transfers become':
      return fake.payouts.transfersBecome(told.state)
    case 'set transfer':
      return fake.payouts.setTransfer(told.transferId, told.state)
    case 'bank says':
      return fake.verification.say(told.bankAccount, told.said)
    case 'notice':
      return fake.notice(told.type, told.data, { secret: FAKE_SECRETS[told.by] })
    case 'look':
      return {
        lines: fake.lines,
        violations: fake.violations,
        refunds: [...fake.payments.refunds.values()],
        transfers: [...fake.payouts.transfers.values()],
      }
  }
}

process.on('message', ({ id, told }: { readonly id: number; readonly told: Told }) => {
  process.send?.({ id, answer: JSON.stringify(play(told) ?? null) })
})
// Without whoever started it there is nobody to stand in for.
process.on('disconnect', () => process.exit(0))

const { gatewayOptions, payoutOptions } = fake
process.send?.({
  settings: {
    GATEWAY: 'cashfree',
    CASHFREE_ENV: 'sandbox',
    CASHFREE_API_URL: fake.url,
    CASHFREE_CLIENT_ID: gatewayOptions.clientId,
    CASHFREE_CLIENT_SECRET: gatewayOptions.clientSecret,
    CASHFREE_PAYOUT_CLIENT_ID: payoutOptions.clientId,
    CASHFREE_PAYOUT_CLIENT_SECRET: payoutOptions.clientSecret,
  },
})
