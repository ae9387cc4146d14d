import { expect, test } from 'vitest'
import type { BankCheckResult } from '../../../gateways/bank-verifier.ts'
import { accountInForce, type KnownAccount, NO_PENDING_ACCOUNT } from './bank-account.ts'
import { decideKyc as decide, pauseMs } from './decide.ts'
import type { KycState } from './store.ts'

const account = { encrypted: Buffer.from('encrypted'), last4: '9012', ifsc: 'HDFC0001234' }
const VERIFIED: BankCheckResult = {
  kind: 'verified',
  nameAtBank: 'ASHA RAO',
  nameMatchScore: 99.6,
  reason: null,
}
const FAILED: BankCheckResult = {
  kind: 'failed',
  nameAtBank: 'B RAO',
  nameMatchScore: 20,
  reason: 'name_mismatch',
}
const PENDING: BankCheckResult = { kind: 'pending', reference: 'r1' }
const DOWN: BankCheckResult = { kind: 'unknown', message: 'timeout' }

const NEW: KycState = {
  kycStatus: 'none',
  tier: 'sandbox',
  bankAccount: null,
  bankAccountLast4: null,
  bankIfsc: null,
  nameAtBank: null,
  nameMatchScore: null,
  kycReason: null,
  ...NO_PENDING_ACCOUNT,
}
const NOW = new Date('2026-11-20T10:00:00.000Z')
const COOLDOWN = { now: NOW, cooldownMs: 86_400_000 }
const TOMORROW = new Date('2026-11-21T10:00:00.000Z')

function decideKyc(
  owner: KycState,
  submitted: typeof account,
  result: BankCheckResult,
  known: KnownAccount = null,
) {
  return decide(owner, { account: submitted, known }, result, COOLDOWN)
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
    bankAccount: account.encrypted,
    bankAccountLast4: '9012',
    bankIfsc: 'HDFC0001234',
    nameAtBank: 'ASHA RAO',
    nameMatchScore: 100,
    kycReason: null,
    ...NO_PENDING_ACCOUNT,
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
] as const)('an unverified owner is %s for the reason %j', (kycStatus, result, kycReason) => {
  const decided = decideKyc(NEW, account, result)
  expect(decided).toMatchObject({ kycStatus, kycReason, tier: 'sandbox', bankAccountLast4: '9012' })
})

test.each([
  [FAILED, 'name_mismatch'],
  [PENDING, 'bank_pending'],
  [DOWN, 'bank_unavailable'],
] as const)(
  'a verified account stays in force if the bank does not confirm another one',
  (result, kycReason) => {
    expect(decideKyc(KNOWN, account, result)).toEqual({ ...KNOWN, kycReason })
  },
)

const WAITING = {
  pendingBankAccount: account.encrypted,
  pendingBankAccountLast4: '9012',
  pendingBankIfsc: 'HDFC0001234',
  pendingNameAtBank: 'ASHA RAO',
  pendingNameMatchScore: 100,
  pendingBankEffectiveAt: TOMORROW,
}

test('another verified account waits for the cooldown, and the present one stays in force', () => {
  const changed = decideKyc({ ...KNOWN, kycReason: 'bank_pending' }, account, VERIFIED)
  expect(changed).toEqual({ ...KNOWN, kycReason: null, ...WAITING })
})

test('without a cooldown another verified account takes effect at once', () => {
  const submission = { account, known: null }
  const changed = decide(KNOWN, submission, VERIFIED, { ...COOLDOWN, cooldownMs: 0 })
  expect(changed).toMatchObject({ bankAccountLast4: '9012', ...NO_PENDING_ACCOUNT })
})

test('a second change replaces a pending one and waits for a full cooldown', () => {
  const first = decideKyc(KNOWN, account, VERIFIED)
  const second = { encrypted: Buffer.from('second'), last4: '3456', ifsc: 'ICIC0004321' }
  const later = { now: TOMORROW, cooldownMs: 1_000 }
  expect(decide(first, { account: second, known: null }, VERIFIED, later)).toMatchObject({
    bankAccountLast4: '1111',
    pendingBankAccountLast4: '3456',
    pendingBankEffectiveAt: new Date(TOMORROW.getTime() + 1_000),
  })
})

test('a pending account, submitted again, keeps its moment, and the account in force cancels it', () => {
  const waiting: KycState = { ...KNOWN, ...WAITING }
  expect(decideKyc(waiting, { ...account, encrypted: Buffer.from('again') }, VERIFIED, 'pending')).toEqual(
    waiting,
  )
  expect(decideKyc(waiting, account, VERIFIED, 'in force')).toMatchObject({
    bankAccountLast4: '1111',
    ...NO_PENDING_ACCOUNT,
  })
})

test('payouts go to the changed account from its moment on, but not while the owner is frozen', () => {
  const lastMoment = new Date(TOMORROW.getTime() - 1)
  const owner = { ...KNOWN, ...WAITING, status: 'active' as const }
  const last4 = (now: Date, status: 'active' | 'frozen' = 'active') =>
    accountInForce({ ...owner, status }, now).bankAccountLast4
  expect([last4(lastMoment), last4(TOMORROW), last4(TOMORROW, 'frozen')]).toEqual(['1111', '9012', '1111'])
})

test('an owner whom an administrator moved back to the sandbox tier stays there when the account changes', () => {
  expect(decideKyc({ ...KNOWN, tier: 'sandbox' }, account, VERIFIED)).toMatchObject({ tier: 'sandbox' })
})

test('the bank is asked every ten seconds for a minute, then less and less often, without an end', () => {
  const pauses = [0, 1, 6, 7, 8, 14, 15, 1_000].map(attempts => pauseMs(attempts) / 1_000)
  expect(pauses).toEqual([10, 10, 10, 20, 40, 2_560, 3_600, 3_600])
})
