import { afterEach, beforeEach, expect, test } from 'vitest'
import type { BankAccountClaim, BankVerifier } from '../bank-verifier.ts'
import { createCashfreeVerifier } from './bank-verifier.ts'
import { FAKE_SECRETS, type FakeCashfree, startFakeCashfree } from './testing/fake-cashfree.ts'
import { FAULTS } from './testing/faults.ts'

let cashfree: FakeCashfree
let verifier: BankVerifier

beforeEach(async () => {
  cashfree = await startFakeCashfree()
  verifier = createCashfreeVerifier(cashfree.verifierOptions)
})
afterEach(async () => {
  expect(cashfree.violations).toEqual([])
  await cashfree.close()
})

const CLAIM: BankAccountClaim = {
  bankAccount: '026291800001191',
  ifsc: 'YESB0000262',
  name: 'Asha Rao',
  phone: '9876543210',
}
const VALID = { account_status: 'VALID', account_status_code: 'ACCOUNT_IS_VALID', name_at_bank: 'ASHA RAO' }

test.each([
  [{ name_match_score: '100.00', name_match_result: 'DIRECT_MATCH' }, 100, 'verified'],
  [{ name_match_score: '90.00', name_match_result: 'GOOD_PARTIAL_MATCH' }, 90, 'verified'],
  [{ name_match_score: '85.00', name_match_result: 'GOOD_PARTIAL_MATCH' }, 85, 'verified'],
  [{ name_match_score: 85 }, 85, 'verified'],
  [{ name_match_score: '84.99' }, 84.99, 'failed'],
  [{ name_match_score: '70.00', name_match_result: 'MODERATE_PARTIAL_MATCH' }, 70, 'failed'],
  [{ name_match_score: '38.00', name_match_result: 'POOR_PARTIAL_MATCH' }, 38, 'failed'],
  [{ name_match_score: '0.00', name_match_result: 'NO_MATCH' }, 0, 'failed'],
  [{ name_match_result: 'DIRECT_MATCH' }, 100, 'verified'],
  [{ name_match_result: 'GOOD_PARTIAL_MATCH' }, 85, 'verified'],
  [{ name_match_result: 'MODERATE_PARTIAL_MATCH' }, 70, 'failed'],
  [{ name_match_result: 'POOR_PARTIAL_MATCH' }, 38, 'failed'],
  [{ name_match_result: 'NO_MATCH' }, 0, 'failed'],
  [{ name_match_score: '900', name_match_result: 'SOMETHING_NEW' }, null, 'failed'],
  [{ name_match_score: null }, null, 'failed'],
] as const)('a name that matches as %j has score %s and is %s', async (match, nameMatchScore, kind) => {
  cashfree.verification.say(CLAIM.bankAccount, { ...VALID, ...match })
  const reason = kind === 'verified' ? null : 'name_mismatch'
  expect(await verifier.verifyAccount(CLAIM)).toEqual({
    kind,
    nameAtBank: 'ASHA RAO',
    nameMatchScore,
    reason,
  })
})

test('a valid account without a name from the bank is not accepted', async () => {
  cashfree.verification.say(CLAIM.bankAccount, { ...VALID, name_at_bank: '', name_match_score: '100.00' })
  expect(await verifier.verifyAccount(CLAIM)).toMatchObject({ kind: 'failed', reason: 'name_mismatch' })
})

test.each([
  ['INVALID', 'INVALID_BANK_ACCOUNT', 'account_invalid'],
  ['INVALID', 'INVALID_ACCOUNT_FAIL', 'account_invalid'],
  ['INVALID', 'INVALID_IFSC', 'account_invalid'],
  ['INVALID', 'INVALID_IFSC_FAIL', 'account_invalid'],
  ['INVALID', 'SOMETHING_NEW', 'account_invalid'],
  ['INVALID', 'ACCOUNT_BLOCKED', 'account_blocked'],
  ['INVALID', 'ACCOUNT_BLOCKED_FAIL', 'account_blocked'],
  ['INVALID', 'NRE_ACCOUNT', 'account_type'],
  ['INVALID', 'NRE_ACCOUNT_FAIL', 'account_type'],
  ['FAILED', 'NRE_ACCOUNT_FAIL', 'account_type'],
])('%s with %s fails as %s', async (status, code, reason) => {
  cashfree.verification.say(CLAIM.bankAccount, { account_status: status, account_status_code: code })
  expect(await verifier.verifyAccount(CLAIM)).toMatchObject({ kind: 'failed', reason, nameMatchScore: null })
})

test.each([
  ['FAILED', 'BENEFICIARY_BANK_OFFLINE'],
  ['FAILED', 'NPCI_UNAVAILABLE'],
  ['REJECTED', 'INSUFFICIENT_BALANCE'],
  ['SOMETHING_NEW', 'SOMETHING_NEW'],
])('%s with %s decides nothing: the bank is asked again', async (status, code) => {
  cashfree.verification.say(CLAIM.bankAccount, { account_status: status, account_status_code: code })
  expect(await verifier.verifyAccount(CLAIM)).toEqual({
    kind: 'retryable',
    message: `Cashfree has no result yet: ${code}`,
  })
})

test.each(['RECEIVED', 'PENDING', 'APPROVAL_PENDING'])(
  'while it is %s the reference is kept with all its digits and asked about',
  async status => {
    cashfree.verification.say(CLAIM.bankAccount, {
      account_status: status,
      account_status_code: 'VALIDATION_IN_PROGRESS',
    })
    const pending = await verifier.verifyAccount(CLAIM)
    expect(pending).toEqual({ kind: 'pending', reference: expect.stringMatching(/^92071992547409930\d\d$/) })
    const reference = pending.kind === 'pending' ? pending.reference : ''
    expect(await verifier.checkAgain(reference, CLAIM)).toEqual(pending)
    cashfree.verification.say(CLAIM.bankAccount, { ...VALID, name_match_score: '90.00' })
    expect(await verifier.checkAgain(reference, CLAIM)).toMatchObject({
      kind: 'verified',
      nameMatchScore: 90,
    })
    expect(cashfree.lines.filter(line => line.startsWith('POST')).length).toBe(1)
  },
)

test('a check whose reference Cashfree no longer has is started again', async () => {
  expect(await verifier.checkAgain('1', CLAIM)).toMatchObject({ kind: 'verified' })
})

test.each([
  [422, 'bank_account_invalid', { kind: 'failed', reason: 'account_invalid' }],
  [400, 'ifsc_invalid', { kind: 'failed', reason: 'account_invalid' }],
  [400, 'name_invalid', { kind: 'retryable' }],
  [412, 'insufficient_balance', { kind: 'retryable' }],
  [424, 'source_bank_declined', { kind: 'retryable' }],
] as const)('a refusal with %s %s is %j', async (status, code, result) => {
  cashfree.verification.refuse(CLAIM.bankAccount, status, code)
  expect(await verifier.verifyAccount(CLAIM)).toMatchObject(result)
})

test('failures are not results, and no message contains a secret or the account', async () => {
  const said: string[] = []
  for (const fault of Object.values(FAULTS)) {
    cashfree.faults.next('POST /verification/bank-account/sync', fault)
    const result = await verifier.verifyAccount(CLAIM)
    expect(['retryable', 'unknown']).toContain(result.kind)
    said.push(JSON.stringify(result))
  }
  for (const secret of [FAKE_SECRETS.payouts, CLAIM.bankAccount, CLAIM.phone, CLAIM.name]) {
    expect(said.join()).not.toContain(secret)
  }
})
