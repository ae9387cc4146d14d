import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newUuid } from '../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../kernel/money.ts'
import { canonicalJson } from '../kernel/signing.ts'
import type { Transfer } from '../ledger/index.ts'
import { PROOF_LENGTH, SEED } from '../testing/knobs.ts'
import { leafHash } from './audit-entry.ts'
import { paymentContent, paymentLeaf } from './payment-fact.ts'

/** What JSON writes in a way of its own, and line ends of Unicode, which it does not. */
const awkward = fc.constantFrom(
  ...['\0', '\b', '\t', '\n', '\f', '\r', '\u001f', '\u007f', '"', '\\', '/', '\u2028', '\u2029', '\ufeff'],
  ...['😀', 'é', 'e\u0301', 'अ', '</script>', '{"a":1}', '__proto__'],
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(awkward, fc.string({ unit: 'grapheme' }))).map(parts => parts.join('')),
)
const textOrNull = fc.option(text, { nil: null })
/** Beyond, two amounts may be one number of rupees. */
const MOST_PAISE = 2n ** 52n
const amount = fc
  .oneof(fc.bigInt({ min: 0n, max: 100_000n }), fc.bigInt({ min: 0n, max: MOST_PAISE }))
  .map(paise => paise as Paise)
const moment = fc.date({
  min: new Date(0),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})
const uuid = moment.map(newUuid)

const transfer: fc.Arbitrary<Transfer> = fc.record({
  id: uuid,
  kind: fc.constant('payment'),
  debitAccount: uuid,
  creditAccount: fc.uuid(),
  amountPaise: amount,
  feePaise: amount,
  debitBalancePaise: fc.constant(ZERO_PAISE),
  creditBalancePaise: fc.constant(null),
  debitSequence: fc.constant(1n),
  creditSequence: fc.constant(1n),
  postedAt: moment,
  linkedId: fc.constant(null),
  idempotencyKey: textOrNull,
  reference: textOrNull,
  note: textOrNull,
})

test(`the leaf of any payment equals the hash of its entry in RFC 8785 form (seed ${SEED})`, () => {
  const property = fc.property(transfer, payment => {
    const { id, hash } = paymentLeaf(payment)
    expect(id).toBe(payment.id)
    expect(hash).toBe(leafHash(canonicalJson(paymentContent(payment))))
  })
  fc.assert(property, { numRuns: 500 * PROOF_LENGTH, seed: SEED })
})

test(`payments whose entries differ have different leaves (seed ${SEED})`, () => {
  const property = fc.property(transfer, transfer, (one, other) => {
    const [same, content, otherContent] = [
      paymentLeaf(one).hash === paymentLeaf(other).hash,
      canonicalJson(paymentContent(one)),
      canonicalJson(paymentContent(other)),
    ]
    expect(same).toBe(content === otherContent)
    for (const change of [{ amountPaise: (one.amountPaise + 1n) as Paise }, { note: `${one.note ?? ''}x` }])
      expect(paymentLeaf({ ...one, ...change }).hash).not.toBe(paymentLeaf(one).hash)
  })
  fc.assert(property, { numRuns: 200 * PROOF_LENGTH, seed: SEED })
})
