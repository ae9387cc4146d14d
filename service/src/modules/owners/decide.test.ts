import { expect, test } from 'vitest'
import type { BankVerdict } from '../../gateways/bank-verifier.ts'
import { decideKyc, pauseMs } from './decide.ts'
import type { KycState } from './store.ts'

const account = { sealed: Buffer.from('sealed'), last4: '9012', ifsc: 'HDFC0001234' }
const VERIFIED: BankVerdict = { kind: 'verified', nameAtBank: 'ASHA RAO', nameMatchScore: 99.6, reason: null }
const FAILED: BankVerdict = {
  kind: 'failed',
  nameAtBank: 'B RAO',
  nameMatchScore: 20,
  reason: 'name_mismatch',
}
const PENDING: BankVerdict = { kind: 'pending', reference: 'r1' }
const DOWN: BankVerdict = { kind: 'unknown', message: 'timeout' }

const NEW: KycState = {
  kycStatus: 'none',
  tier: 'sandbox',
  bankAccount: null,
  bankAccountLast4: null,
  bankIfsc: null,
  nameAtBank: null,
  nameMatchScore: null,
  kycReason: null,
}
const KNOWN: KycState = {
  ...NEW,
  kycStatus: 'verified',
  tier: 'tier1',
  bankAccount: Buffer.from('verified before'),
  bankAccountLast4: '1111',
}

test('a confirmed account verifies the owner and ends the sandbox tier', () => {
  expect(decideKyc(NEW, account, VERIFIED)).toEqual({
    kycStatus: 'verified',
    tier: 'tier1',
    bankAccount: account.sealed,
    bankAccountLast4: '9012',
    bankIfsc: 'HDFC0001234',
    nameAtBank: 'ASHA RAO',
    nameMatchScore: 100,
    kycReason: null,
  })
})

test('a confirmed account never lowers a tier', () => {
  expect(decideKyc({ ...KNOWN, tier: 'tier3' }, account, VERIFIED)).toMatchObject({
    tier: 'tier3',
  })
})

test.each([
  ['failed', FAILED, 'name_mismatch'],
  ['pending', PENDING, 'bank_pending'],
  ['pending', DOWN, 'bank_unavailable'],
] as const)('an unverified owner is %s for the reason %j', (kycStatus, verdict, kycReason) => {
  const decided = decideKyc(NEW, account, verdict)
  expect(decided).toMatchObject({ kycStatus, kycReason, tier: 'sandbox', bankAccountLast4: '9012' })
})

test.each([
  [FAILED, 'name_mismatch'],
  [PENDING, 'bank_pending'],
  [DOWN, 'bank_unavailable'],
] as const)(
  'a verified account stays in force beside one that the bank did not confirm',
  (verdict, kycReason) => {
    expect(decideKyc(KNOWN, account, verdict)).toEqual({ ...KNOWN, kycReason })
  },
)

test('a verified account gives way to another one only', () => {
  const changed = decideKyc({ ...KNOWN, kycReason: 'bank_pending' }, account, VERIFIED)
  expect(changed).toMatchObject({ kycStatus: 'verified', bankAccountLast4: '9012', kycReason: null })
})

test('whom an administrator put back into the sandbox stays there when the account changes', () => {
  expect(decideKyc({ ...KNOWN, tier: 'sandbox' }, account, VERIFIED)).toMatchObject({ tier: 'sandbox' })
})

test('a bank is asked every ten seconds for a minute, then more and more seldom, and never gives up', () => {
  const pauses = [0, 1, 6, 7, 8, 14, 15, 1_000].map(attempts => pauseMs(attempts) / 1_000)
  expect(pauses).toEqual([10, 10, 10, 20, 40, 2_560, 3_600, 3_600])
})
