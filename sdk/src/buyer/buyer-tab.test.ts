import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BuyerTab, beginCall, type CallEnd, endCall, hasRoom, isCheaper } from './buyer-tab.ts'

const key = { publicKey: '', sign: () => new Uint8Array() }

function newTab(amountPaise = 1_000n): BuyerTab {
  return {
    ...{ authorizationId: 'ath_1', purchaseId: '1', token: '', key, origin: '', host: '', payTo: '' },
    ...{ amountPaise, expiresAt: 3_600_000, countedPaise: 0n, openPaise: 0n, openCalls: 0 },
    ...{ signedPaise: 0n, nonces: [], lastUsedAt: 0, refusals: 0, isRetired: false },
  }
}

const served = (total: string | null): CallEnd => ({ status: 200, total })

describe('the amount that a buyer signs', () => {
  test('is the sum of its counted calls and the price of this call', () => {
    const tab = newTab()
    expect(beginCall(tab, 10n, 0)).toBe(10n)
    endCall(tab, 10n, served('0.10'), 0)
    expect(beginCall(tab, 25n, 0)).toBe(35n)
    expect(beginCall(tab, 5n, 0)).toBe(40n)
  })

  test('does not include a call that the seller reports as not served', () => {
    const tab = newTab()
    beginCall(tab, 10n, 0)
    endCall(tab, 10n, { status: 500, total: '0.00' }, 0)
    expect(beginCall(tab, 10n, 0)).toBe(10n)
    endCall(tab, 10n, { status: 402, total: null }, 0)
    expect(beginCall(tab, 10n, 0)).toBe(10n)
  })

  test('includes a call without a response until the seller reports that it was not counted', () => {
    const tab = newTab()
    beginCall(tab, 10n, 0)
    endCall(tab, 10n, null, 0)
    expect(beginCall(tab, 10n, 0)).toBe(20n)
    endCall(tab, 10n, served('0.10'), 0)
    expect(beginCall(tab, 10n, 0)).toBe(20n)
  })

  test('includes a failed call without a total, because a proxy may have sent the failure', () => {
    const tab = newTab()
    beginCall(tab, 10n, 0)
    endCall(tab, 10n, { status: 502, total: null }, 0)
    expect(tab.countedPaise).toBe(10n)
  })

  test.each(['0.11', '100.00', '-1.00', 'all', ''])('does not follow a total of %j', total => {
    const tab = newTab()
    beginCall(tab, 10n, 0)
    endCall(tab, 10n, served(total), 0)
    expect(beginCall(tab, 10n, 0)).toBe(20n)
  })

  test('never exceeds the prices of its calls, whatever totals the seller reports in whatever order', () => {
    const end = fc.oneof(
      fc.constant(null),
      fc.record({
        status: fc.constantFrom(200, 302, 402, 429, 500, 503),
        total: fc.option(fc.constantFrom('0.00', '0.05', '1.00', '9.99', '500.00', 'none')),
      }),
    )
    const step = fc.record({ price: fc.integer({ min: 1, max: 90 }).map(BigInt), end, isEarly: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const tab = newTab()
        let askedPaise = 0n
        const open: (typeof steps)[number][] = []
        for (const each of steps) {
          if (!hasRoom(tab, each.price, 0)) break
          askedPaise += each.price
          expect(beginCall(tab, each.price, 0)).toBeLessThanOrEqual(askedPaise)
          open.push(each)
          const ended = each.isEarly ? open.pop() : open.length > 3 ? open.shift() : undefined
          if (ended !== undefined) endCall(tab, ended.price, ended.end, 0)
        }
        expect(tab.signedPaise).toBeLessThanOrEqual(tab.amountPaise)
        for (const { price, end } of open) endCall(tab, price, end, 0)
        expect([tab.openPaise, tab.openCalls]).toEqual([0n, 0])
        expect(tab.countedPaise).toBeLessThanOrEqual(tab.signedPaise)
      }),
    )
  })
})

test('an authorization has room until its amount is signed, or it is about to close', () => {
  const tab = newTab(25n)
  beginCall(tab, 10n, 0)
  expect([hasRoom(tab, 15n, 0), hasRoom(tab, 16n, 0), hasRoom(tab, 10n, 3_570_000)]).toEqual([
    true,
    false,
    false,
  ])
  tab.isRetired = true
  expect(hasRoom(tab, 1n, 0)).toBe(false)
})

test.each([
  ['ten paise of fifty rupees', 10n, 5_000n, true],
  ['a price that fits in twice', 2_500n, 5_000n, true],
  ['a price that fits in once', 2_501n, 5_000n, false],
  ['a price whose fee is a part of it', 20_000n, 100_000n, false],
  ['a price whose fee is the least', 19_999n, 100_000n, true],
])('for %s an authorization is cheaper: %s of %s is %s', (_, price, amount, expected) => {
  expect(isCheaper(price, amount)).toBe(expected)
})
