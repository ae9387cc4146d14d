import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { paise } from '../../kernel/money.ts'
import type { Beneficiary, PayoutProvider, PayoutRequest } from '../payout-provider.ts'
import { createCashfreePayouts } from './payouts.ts'
import { FAKE_SECRETS, type FakeCashfree, startFakeCashfree } from './testing/fake-cashfree.ts'
import { makeFakeWebhook } from './testing/fake-webhooks.ts'
import { FAULTS } from './testing/faults.ts'
import { bare } from './testing/reply.ts'

let cashfree: FakeCashfree
let payouts: PayoutProvider

beforeEach(async () => {
  cashfree = await startFakeCashfree()
  payouts = createCashfreePayouts(cashfree.payoutOptions)
})
afterEach(async () => {
  expect(cashfree.violations).toEqual([])
  await cashfree.close()
})

const ASHA: Beneficiary = {
  beneficiaryId: 'own_01kb7q3f8meg5tz4x9wc2n6a02_1a2b3c',
  name: 'Ásha  Rao-D’Souza 2',
  bankAccount: '026291800001191',
  ifsc: 'YESB0000262',
  phone: '9876543210',
}
const PAYOUT: PayoutRequest = {
  transferId: 'po_01kb7q3f8meg5tz4x9wc2n6a04',
  beneficiaryId: ASHA.beneficiaryId,
  amountPaise: paise(123_456_789n),
  remarks: 'Batua withdrawal: researcher',
}

describe('a beneficiary', () => {
  test('is registered once and has the same id afterwards', async () => {
    const known = { kind: 'value', value: { beneficiaryId: ASHA.beneficiaryId } }
    expect(await payouts.ensureBeneficiary(ASHA)).toEqual(known)
    expect(await payouts.ensureBeneficiary(ASHA)).toEqual(known)
    const renamed = { ...ASHA, name: 'Asha R' }
    cashfree.faults.next('POST /payout/beneficiary', {
      kind: 'refuse',
      status: 409,
      code: 'beneficiary_id_already_exists',
    })
    expect(await payouts.ensureBeneficiary(renamed)).toEqual(known)
    expect(cashfree.payouts.beneficiaries.get(ASHA.beneficiaryId)).toMatchObject({
      beneficiary_name: 'Asha Rao D Souza',
    })
  })

  test('whose account has another id at Cashfree is paid under that id', async () => {
    await payouts.ensureBeneficiary(ASHA)
    const second = { ...ASHA, beneficiaryId: 'own_second' }
    const response = await payouts.ensureBeneficiary(second)
    expect(response).toEqual({ kind: 'value', value: { beneficiaryId: ASHA.beneficiaryId } })
  })

  test('whose id belongs to another account is refused, because money would go to the wrong account', async () => {
    await payouts.ensureBeneficiary(ASHA)
    cashfree.faults.next('POST /payout/beneficiary', {
      kind: 'refuse',
      status: 409,
      code: 'beneficiary_id_already_exists',
    })
    const other = await payouts.ensureBeneficiary({ ...ASHA, bankAccount: '7766671735000' })
    expect(other).toMatchObject({ kind: 'rejected', code: 'beneficiary_id_already_exists' })
  })

  test.each(['INVALID', 'FAILED', 'CANCELLED', 'DELETED'])('that is %s cannot be paid', async status => {
    await payouts.ensureBeneficiary(ASHA)
    cashfree.payouts.setBeneficiaryStatus(ASHA.beneficiaryId, status)
    cashfree.faults.next('POST /payout/beneficiary', {
      kind: 'refuse',
      status: 409,
      code: 'beneficiary_already_exists',
    })
    expect(await payouts.ensureBeneficiary(ASHA)).toMatchObject({
      kind: 'rejected',
      code: 'beneficiary_invalid',
    })
  })

  test('that cannot be sent now is not given up', async () => {
    cashfree.faults.next('POST /payout/beneficiary', FAULTS.forbidden)
    expect(await payouts.ensureBeneficiary(ASHA)).toMatchObject({ kind: 'retryable' })
    cashfree.faults.next('POST /payout/beneficiary', FAULTS.noResponseAfter)
    expect(await payouts.ensureBeneficiary(ASHA)).toMatchObject({ kind: 'unknown' })
    expect(await payouts.ensureBeneficiary(ASHA)).toMatchObject({ kind: 'value' })
  })
})

describe('a transfer', () => {
  beforeEach(() => payouts.ensureBeneficiary(ASHA))

  test.each([
    ['RECEIVED', 'RECEIVED', 'pending'],
    ['QUEUED', 'QUEUED', 'pending'],
    ['PENDING', 'PENDING', 'pending'],
    ['APPROVAL_PENDING', 'TRANSFER_LIMIT_BREACH', 'pending'],
    ['SUCCESS', 'SENT_TO_BENEFICIARY', 'pending'],
    ['SUCCESS', 'COMPLETED', 'success'],
    ['FAILED', 'BENE_BANK_OFFLINE', 'failed'],
    ['REJECTED', 'INSUFFICIENT_BALANCE', 'failed'],
    ['MANUALLY_REJECTED', 'MANUALLY_REJECTED', 'failed'],
    ['REVERSED', 'INVALID_ACCOUNT_FAIL', 'reversed'],
    ['SOMETHING_NEW', 'SOMETHING_NEW', 'pending'],
  ])('%s with %s is %s', async (status, code, expected) => {
    cashfree.payouts.transfersBecome({ status, status_code: code, transfer_utr: null })
    const payout = {
      transferId: PAYOUT.transferId,
      status: expected,
      reason: code,
      amountPaise: 123_456_789n,
      utr: null,
    }
    expect(await payouts.send(PAYOUT)).toMatchObject({ kind: 'value', value: payout })
    expect(await payouts.get(PAYOUT.transferId)).toMatchObject({ kind: 'value', value: payout })
  })

  test('is sent in rupees with two decimals, and its remarks hold nothing that is refused', async () => {
    await payouts.send(PAYOUT)
    const request = cashfree.requests.at(-1)
    expect(request?.text).toContain('"transfer_amount":1234567.89')
    expect(request?.body).toMatchObject({
      transfer_mode: 'banktransfer',
      transfer_remarks: 'Batua withdrawal researcher',
    })
    expect(request?.headers).toMatchObject({
      'x-api-version': '2024-01-01',
      'x-idempotency-key': PAYOUT.transferId,
    })
  })

  test('may succeed first, get its reference later, and come back in the end', async () => {
    await payouts.send(PAYOUT)
    const states = [
      [{ status: 'SUCCESS', status_code: 'COMPLETED', transfer_utr: null }, 'success', null],
      [
        { status: 'SUCCESS', status_code: 'COMPLETED', transfer_utr: '404223241811' },
        'success',
        '404223241811',
      ],
      [
        { status: 'REVERSED', status_code: 'RETURNED', transfer_utr: '404223241811' },
        'reversed',
        '404223241811',
      ],
    ] as const
    for (const [state, status, utr] of states) {
      cashfree.payouts.setTransfer(PAYOUT.transferId, state)
      const response = await payouts.get(PAYOUT.transferId)
      expect(response).toMatchObject({
        value: { status, utr, providerPayoutId: expect.stringMatching(/^\d{19}$/) },
      })
    }
  })

  test.each(['noResponseAfter', 'resetAfter', 'malformed', 'empty', 'badGatewayAfter'] as const)(
    'that got through in spite of %s is found by asking, and paid once',
    async name => {
      cashfree.faults.next('POST /payout/transfers', FAULTS[name])
      expect(await payouts.send(PAYOUT)).toMatchObject({ kind: 'unknown' })
      expect(await payouts.get(PAYOUT.transferId)).toMatchObject({
        kind: 'value',
        value: { status: 'pending' },
      })
      expect(await payouts.send(PAYOUT)).toMatchObject({ kind: 'value' })
      expect(cashfree.payouts.transfers.size).toBe(1)
    },
  )

  test('that Cashfree never got is null only when it says so', async () => {
    expect(await payouts.get(PAYOUT.transferId)).toEqual({ kind: 'value', value: null })
    cashfree.faults.next('GET /payout/transfers', { kind: 'refuse', status: 404, code: 'route_not_found' })
    expect((await payouts.get(PAYOUT.transferId)).kind).toBe('rejected')
    cashfree.faults.next('GET /payout/transfers', FAULTS.badGateway)
    expect((await payouts.get(PAYOUT.transferId)).kind).toBe('retryable')
  })

  test('of an id that is taken is what was sent under it; over another amount nothing is concluded', async () => {
    await payouts.send(PAYOUT)
    const taken = { kind: 'refuse', status: 409, code: 'transfer_id_already_exists' } as const
    cashfree.faults.next('POST /payout/transfers', taken)
    expect(await payouts.send(PAYOUT)).toMatchObject({ kind: 'value', value: { status: 'pending' } })
    cashfree.faults.next('POST /payout/transfers', taken)
    expect(await payouts.send({ ...PAYOUT, amountPaise: paise(1n) })).toMatchObject({ kind: 'unknown' })
    cashfree.faults.next('POST /payout/transfers', taken)
    cashfree.faults.next('GET /payout/transfers', FAULTS.badGateway)
    expect(await payouts.send(PAYOUT)).toMatchObject({ kind: 'unknown' })
  })

  test('that is refused for what it says is refused for good', async () => {
    cashfree.faults.next('POST /payout/transfers', {
      kind: 'refuse',
      status: 400,
      code: 'transfer_amount_invalid',
    })
    expect(await payouts.send(PAYOUT)).toMatchObject({ kind: 'rejected', code: 'transfer_amount_invalid' })
    const response = await payouts.send({ ...PAYOUT, beneficiaryId: 'nobody' })
    expect(response).toMatchObject({ kind: 'rejected', code: 'beneficiary_not_found' })
  })

  test.each(['insufficient_balance', 'transfer_insufficient_funds', 'NOT_ENOUGH_BALANCE'])(
    'that the operator’s account cannot cover (%s) waits for money, and is sent then',
    async code => {
      await payouts.ensureBeneficiary(ASHA)
      cashfree.faults.next('POST /payout/transfers', { kind: 'refuse', status: 400, code })
      expect((await payouts.send(PAYOUT)).kind).toBe('retryable')
      expect((await payouts.send(PAYOUT)).kind).toBe('value')
    },
  )
})

describe('a payout webhook', () => {
  const data = {
    transfer_id: PAYOUT.transferId,
    cf_transfer_id: bare('9007199254740993127'),
    status_code: 'COMPLETED',
  }
  const read = (type: string, said: unknown, secret: string = FAKE_SECRETS.payouts) => {
    const { body, headers } = makeFakeWebhook(type, said, {
      secret,
      now: new Date('2026-11-20T10:00:00.000Z'),
    })
    return payouts.parseWebhook(Buffer.from(body), { ...headers })
  }

  test.each([
    'TRANSFER_SUCCESS',
    'TRANSFER_FAILED',
    'TRANSFER_REVERSED',
    'TRANSFER_REJECTED',
    'TRANSFER_ACKNOWLEDGED',
  ])('%s says which transfer to ask about', type => {
    expect(read(type, data)).toMatchObject({ valid: true, transferIds: [PAYOUT.transferId] })
  })

  test('of another kind is valid and has no events', () => {
    for (const type of ['LOW_BALANCE_ALERT', 'CREDIT_CONFIRMATION', 'SOMETHING_NEW']) {
      expect(read(type, data)).toMatchObject({ valid: true, transferIds: [] })
    }
    expect(read('TRANSFER_SUCCESS', null)).toMatchObject({ valid: true, transferIds: [] })
  })

  test('signed with the secret of another API is invalid', () => {
    expect(read('TRANSFER_SUCCESS', data, FAKE_SECRETS.payments)).toMatchObject({
      valid: false,
      transferIds: [],
    })
  })

  test('with the reference of the bank is not a copy of the earlier one', () => {
    const first = read('TRANSFER_SUCCESS', data)
    expect(read('TRANSFER_SUCCESS', data).dedupeKey).toBe(first.dedupeKey)
    expect(read('TRANSFER_SUCCESS', { ...data, transfer_utr: '1' }).dedupeKey).not.toBe(first.dedupeKey)
    expect(read('TRANSFER_REVERSED', data).dedupeKey).not.toBe(first.dedupeKey)
  })
})

test('no message of a payout holds a secret or what Cashfree quotes of an account', async () => {
  await payouts.ensureBeneficiary(ASHA)
  const responses: unknown[] = []
  const refusal = { kind: 'refuse', status: 400, code: 'bank_account_number_invalid' } as const
  for (const fault of [...Object.values(FAULTS), refusal]) {
    cashfree.faults.next('POST /payout/beneficiary', fault)
    cashfree.faults.next('POST /payout/transfers', fault)
    const beneficiary = {
      ...ASHA,
      beneficiaryId: `own_${responses.length}`,
      bankAccount: `99999999${responses.length}`,
    }
    responses.push(await payouts.ensureBeneficiary(beneficiary))
    responses.push(await payouts.send({ ...PAYOUT, transferId: `po_${responses.length}` }))
  }
  const said = JSON.stringify(responses, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  for (const secret of [
    FAKE_SECRETS.payouts,
    'TEST_PAYOUTS',
    '99999999',
    ASHA.bankAccount,
    ASHA.phone,
    'Rao',
  ]) {
    expect(said).not.toContain(secret)
  }
})
