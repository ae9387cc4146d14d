import { expect, test } from 'vitest'
import type { BankVerdict } from '../../gateways/bank-verifier.ts'
import { decideKyc } from './decide.ts'

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

test('a confirmed account verifies the owner and ends the sandbox tier', () => {
  expect(decideKyc({ kycStatus: 'none', tier: 'sandbox' }, account, VERIFIED)).toEqual({
    kind: 'kyc',
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
  expect(decideKyc({ kycStatus: 'verified', tier: 'tier3' }, account, VERIFIED)).toMatchObject({
    tier: 'tier3',
  })
})

test.each([
  ['failed', FAILED, 'name_mismatch'],
  ['pending', PENDING, 'bank_pending'],
  ['pending', DOWN, 'bank_unavailable'],
] as const)('an unverified owner is %s for the reason %j', (kycStatus, verdict, kycReason) => {
  const decided = decideKyc({ kycStatus: 'none', tier: 'sandbox' }, account, verdict)
  expect(decided).toMatchObject({ kind: 'kyc', kycStatus, kycReason, tier: 'sandbox' })
})

test.each([
  [FAILED, 'conflict'],
  [PENDING, 'gateway_error'],
  [DOWN, 'gateway_error'],
] as const)('a verified account is never given up for one that the bank did not confirm', (verdict, code) => {
  const decided = decideKyc({ kycStatus: 'verified', tier: 'tier1' }, account, verdict)
  expect(decided).toMatchObject({ kind: 'refusal', code })
})
