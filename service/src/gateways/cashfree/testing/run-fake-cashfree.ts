import { FAKE_SECRETS, startFakeCashfree } from './fake-cashfree.ts'
import type { PaymentOptions } from './fake-payments.ts'
import type { TransferState } from './fake-payouts.ts'
import type { Addition } from './fake-server.ts'
import type { Fault } from './faults.ts'
import type { Fields } from './reply.ts'

// Runs the fake gateway in a separate process, for tests over HTTP. Its parent sends it actions of payers and banks as
// messages, and gets a reply to each.

/** The actions of payers, banks and the network, and a query of the fake gateway's state. */
export type Action =
  | { readonly act: 'pay'; readonly orderId: string; readonly options?: PaymentOptions }
  | {
      readonly act: 'dispute'
      readonly orderId: string
      readonly paymentId: string
      readonly status: string
    }
  | { readonly act: 'record'; readonly entry: Fields }
  | { readonly act: 'responses have'; readonly addition: Addition }
  | { readonly act: 'next fails'; readonly line: string; readonly fault: Fault }
  | { readonly act: 'transfers become'; readonly state: TransferState }
  | { readonly act: 'set transfer'; readonly transferId: string; readonly state: TransferState }
  | {
      readonly act: 'bank responds'
      readonly bankAccount: string
      readonly result: Readonly<Record<string, unknown>>
    }
  | {
      readonly act: 'webhook'
      readonly type: string
      readonly data: unknown
      readonly by: keyof typeof FAKE_SECRETS
    }
  | { readonly act: 'state' }

const fake = await startFakeCashfree()

function perform(action: Action): unknown {
  switch (action.act) {
    case 'pay':
      return fake.payments.pay(action.orderId, action.options)
    case 'dispute':
      return fake.payments.dispute(action.orderId, action.paymentId, action.status)
    case 'record':
      return fake.payments.record(action.entry)
    case 'responses have':
      return fake.additions.push(action.addition)
    case 'next fails':
      return fake.faults.next(action.line, action.fault)
    case 'transfers become':
      return fake.payouts.transfersBecome(action.state)
    case 'set transfer':
      return fake.payouts.setTransfer(action.transferId, action.state)
    case 'bank responds':
      return fake.verification.say(action.bankAccount, action.result)
    case 'webhook':
      return fake.webhook(action.type, action.data, { secret: FAKE_SECRETS[action.by] })
    case 'state':
      return {
        lines: fake.lines,
        violations: fake.violations,
        refunds: [...fake.payments.refunds.values()],
        transfers: [...fake.payouts.transfers.values()],
      }
  }
}

process.on('message', ({ id, action }: { readonly id: number; readonly action: Action }) => {
  process.send?.({ id, reply: JSON.stringify(perform(action) ?? null) })
})
// It ends with its parent process.
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
