import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatId, newUuid } from '../../../kernel/ids.ts'
import { type Paise, rupees, ZERO_PAISE } from '../../../kernel/money.ts'
import type { Transfer } from '../../../ledger/index.ts'
import { receivedEventOf } from '../../../operations/payment-fact.ts'
import { SEED } from '../../../testing/knobs.ts'
import { receivedBody, sentBody } from './payment-body.ts'

const awkward = fc.constantFrom(...['\0', '\n', '\u001f', '"', '\\', '/', '\u2028', '😀', 'अ', '{"a":1}'])
const text = fc.array(fc.oneof(awkward, fc.string({ unit: 'grapheme' }))).map(parts => parts.join(''))
const amount = fc.bigInt({ min: 0n, max: 2n ** 52n }).map(paise => paise as Paise)
const moment = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
const uuid = moment.map(newUuid)

const payment: fc.Arbitrary<Transfer> = fc.record({
  id: uuid,
  kind: fc.constant('payment'),
  debitAccount: uuid,
  creditAccount: fc.uuid(),
  amountPaise: amount,
  feePaise: amount,
  debitBalancePaise: fc.constant(ZERO_PAISE),
  creditBalancePaise: fc.constant(ZERO_PAISE),
  debitSequence: fc.bigInt({ min: 1n, max: 2n ** 52n }),
  creditSequence: fc.bigInt({ min: 1n, max: 2n ** 52n }),
  postedAt: moment,
  linkedId: fc.constant(null),
  idempotencyKey: fc.constant(null),
  reference: fc.option(text, { nil: null }),
  note: fc.constant(null),
})

function shared({ id, postedAt, amountPaise, reference }: Transfer) {
  return {
    timestamp: postedAt.toISOString(),
    payment: { payment_id: formatId('pay', id) },
    words: { amount: rupees(amountPaise), reference },
  }
}

test(`the bodies of a payment’s two events are the same as JSON.stringify writes (seed ${SEED})`, () => {
  const property = fc.property(payment, made => {
    const { timestamp, payment, words } = shared(made)
    const [payer, payee] = [formatId('agt', made.debitAccount), formatId('agt', made.creditAccount)]
    const sent = {
      id: formatId('evt', made.id),
      ...{ event: 'agent.payment.sent', type: 'agent.payment.sent', timestamp },
      sequence: Number(made.debitSequence),
      data: { agent_id: payer, ...payment, to: payee, fee: rupees(made.feePaise), ...words },
    }
    const received = {
      id: formatId('evt', receivedEventOf(made.id)),
      ...{ event: 'agent.payment.received', type: 'agent.payment.received', timestamp },
      sequence: Number(made.creditSequence),
      data: { agent_id: payee, ...payment, from: payer, ...words },
    }
    for (const [body, expected] of [
      [sentBody(made), sent],
      [receivedBody(made), received],
    ] as const) {
      expect(JSON.parse(body)).toEqual(expected)
      expect(JSON.stringify(JSON.parse(body))).toBe(body)
    }
  })
  fc.assert(property, { numRuns: 1_000, seed: SEED })
})
