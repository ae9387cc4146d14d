import fc from 'fast-check'
import { TypeID } from 'typeid-js'
import { expect, test } from 'vitest'
import { creditSideOf, firstUuidAt, formatId, movementOf, newUuid, parseId } from './ids.ts'

const uuids = fc.bigInt(0n, 2n ** 128n - 1n).map(value => {
  const hex = value.toString(16).padStart(32, '0')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
})
const moments = fc.date({ min: new Date(0), max: new Date(2 ** 48 - 1), noInvalidDate: true })

test('an id is the TypeID of its uuid, both ways', () => {
  fc.assert(
    fc.property(uuids, uuid => {
      const id = TypeID.fromUUID('pay', uuid).toString()
      expect(formatId('pay', uuid)).toBe(id)
      expect(parseId('pay', id)).toBe(uuid)
    }),
    { numRuns: 500 },
  )
})

test('parseId accepts only texts that formatId makes', () => {
  const near = fc.tuple(uuids, fc.nat(29), fc.oneof(fc.nat(0x7f), fc.nat(0xffff))).map(([uuid, at, code]) => {
    const id = formatId('pay', uuid)
    return id.slice(0, at) + String.fromCharCode(code) + id.slice(at + 1)
  })
  fc.assert(
    fc.property(fc.oneof(near, fc.string()), text => {
      const uuid = parseId('pay', text)
      if (uuid !== null) expect(formatId('pay', uuid)).toBe(text)
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['another prefix', `agt_${'0'.repeat(26)}`],
  ['a longer prefix', `pays_${'0'.repeat(26)}`],
  ['no underscore', `pay-${'0'.repeat(26)}`],
  ['one character less', `pay_${'0'.repeat(25)}`],
  ['one character more', `pay_${'0'.repeat(27)}`],
  ['more than 128 bits', `pay_8${'0'.repeat(25)}`],
  ['capital letters', `pay_${'A'.repeat(26)}`],
  ['letters that base32 leaves out', `pay_${'l'.repeat(26)}`],
  ['letters beyond ASCII', `pay_${'а'.repeat(26)}`],
  ['nothing', ''],
])('%s is no payment id', (_what, text) => {
  expect(parseId('pay', text)).toBeNull()
})

test('a new uuid has version 7 and its time, and its last bit is 0', () => {
  fc.assert(
    fc.property(moments, moment => {
      const uuid = newUuid(moment)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{11}[02468ace]$/)
      expect(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)).toBe(moment.getTime())
    }),
  )
})

test('uuids of one millisecond are in order and unique', () => {
  const moment = new Date('2026-11-20T10:00:00.000Z')
  // The counter has 12 bits; the first call takes it to 0.
  const made = Array.from({ length: 4_096 }, () => newUuid(moment))
  expect(made.toSorted()).toEqual(made)
  expect(new Set(made).size).toBe(made.length)
})

test('the first uuid of a millisecond is above all earlier uuids and not above any later one', () => {
  fc.assert(
    fc.property(moments, moment => {
      const bound = firstUuidAt(moment)
      expect(newUuid(moment) >= bound).toBe(true)
      if (moment.getTime() > 0) expect(newUuid(new Date(moment.getTime() - 1)) < bound).toBe(true)
    }),
  )
})

test('the ids of both statement lines give their movement and side', () => {
  fc.assert(
    fc.property(moments, moment => {
      const movement = newUuid(moment)
      expect(movementOf(movement)).toEqual({ movement, side: 'debit' })
      expect(movementOf(creditSideOf(movement))).toEqual({ movement, side: 'credit' })
      expect(() => creditSideOf(creditSideOf(movement))).toThrow('even')
    }),
  )
})
