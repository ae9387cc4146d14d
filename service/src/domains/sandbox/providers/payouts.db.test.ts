import { beforeEach, expect } from 'vitest'
import type { GatewayResult } from '../../../gateways/gateway-result.ts'
import type { PayoutRequest, ProviderPayout } from '../../../gateways/payout-provider.ts'
import { type Clock, systemClock } from '../../../kernel/clock.ts'
import { paise } from '../../../kernel/money.ts'
import { database, test } from '../../../testing/database-test.ts'
import { createSandboxPayouts, type SandboxPayouts } from './payouts.ts'
import type { OutgoingWebhook } from './webhooks.ts'

let clock: Clock
let provider: SandboxPayouts
const webhooks: OutgoingWebhook[] = []
let count = 0

test.beforeAll(async () => {
  clock = systemClock()
  provider = createSandboxPayouts({
    database,
    clock,
    webhookSecrets: ['secret', 'secret before'],
    deliver: webhook => {
      webhooks.push(webhook)
      return Promise.resolve()
    },
  })
})
beforeEach(async () => {
  await advance(3_600)
  webhooks.length = 0
})

async function advance(seconds: number): Promise<void> {
  clock.setOffsetMs(clock.offsetMs() + seconds * 1_000)
  while ((await provider.simulation.sendWebhooks(clock.now(), 10)) > 0);
}

async function requestTo(bankAccount: string, amountPaise = 40_000n): Promise<PayoutRequest> {
  count++
  const known = await provider.ensureBeneficiary({
    beneficiaryId: `ben_${count}`,
    name: 'Asha Rao',
    bankAccount,
    ifsc: 'HDFC0001234',
    phone: '9876543210',
  })
  if (known.kind !== 'value') throw new Error(known.kind)
  const { beneficiaryId } = known.value
  return { transferId: `txn_${count}`, beneficiaryId, amountPaise: paise(amountPaise), remarks: 'Withdrawal' }
}

/** `success UTR`, `pending`, or another result. */
function shown(response: GatewayResult<ProviderPayout | null>): string {
  if (response.kind !== 'value') return response.kind
  if (response.value === null) return 'none'
  return response.value.utr === null ? response.value.status : `${response.value.status} UTR`
}

/** The status of a payout when it was sent, right after, a minute later and ten minutes later. */
async function courseOf(request: PayoutRequest): Promise<string[]> {
  const course = [shown(await provider.send(request)), shown(await provider.get(request.transferId))]
  await advance(61)
  course.push(shown(await provider.get(request.transferId)))
  await advance(540)
  return [...course, shown(await provider.get(request.transferId))]
}

const PAID = 'success UTR'

test.each([
  ['500000000000', [PAID, PAID, PAID, PAID], 1],
  ['900000000006', ['failed', 'failed', 'failed', 'failed'], 1],
  ['900000000007', ['pending', 'pending', PAID, PAID], 0],
  ['900000000008', ['success', 'success', PAID, PAID], 2],
  ['7766671735000', [PAID, PAID, PAID, 'reversed UTR'], 2],
  ['900000000021', ['pending', 'pending', PAID, PAID], 1],
  ['900000000022', ['pending', 'pending', 'failed', 'failed'], 1],
  ['900000000023', ['rejected', 'none', 'none', 'none'], 0],
  ['900000000024', ['unknown', PAID, PAID, PAID], 1],
  ['900000000025', ['unknown', PAID, PAID, PAID], 1],
  ['900000000026', ['unknown', 'none', 'none', 'none'], 0],
] as const)(
  'a payout to %s has the expected outcome, with a webhook for each change',
  async (account, course, webhookCount) => {
    expect(await courseOf(await requestTo(account))).toEqual(course)
    expect(webhooks).toHaveLength(webhookCount)
  },
)

test.each([
  [9401n, 'retryable', 'none'],
  [9429n, 'retryable', 'none'],
  [9407n, 'unknown', 'none'],
  [9422n, 'unknown', 'none'],
  [9502n, 'unknown', 'none'],
  [9200n, 'unknown', PAID],
  [9408n, 'unknown', PAID],
  [9409n, 'unknown', PAID],
  [9100n, PAID, PAID],
])('a payout of %s INR meets its fault once, and is paid once', async (rupees, response, then) => {
  const request = await requestTo('500000000000', rupees * 100n)
  expect(shown(await provider.send(request))).toBe(response)
  expect(shown(await provider.get(request.transferId))).toBe(then)
  expect(webhooks).toHaveLength(rupees === 9100n ? 1 : 0)
  expect(shown(await provider.send(request))).toBe(PAID)
  expect(shown(await provider.send(request))).toBe(PAID)
  await advance(600)
  expect(webhooks).toHaveLength(1)
})

test('one id is paid once, however often and however fast it is sent', async () => {
  const request = await requestTo('500000000000')
  const responses = await Promise.all(Array.from({ length: 8 }, () => provider.send(request)))
  const ids = responses.map(response =>
    response.kind === 'value' ? response.value.providerPayoutId : response.kind,
  )
  expect(new Set(ids).size).toBe(1)
  await advance(1)
  expect(webhooks).toHaveLength(1)
})

test('each webhook is sent by one of several nodes', async () => {
  for (let index = 0; index < 5; index++) await provider.send(await requestTo('500000000000'))
  const sent = await Promise.all([1, 2, 3, 4].map(() => provider.simulation.sendWebhooks(clock.now(), 2)))
  await advance(1)
  expect(sent.every(count => count <= 2)).toBe(true)
  expect(webhooks).toHaveLength(5)
})

test('an account is registered once: a second owner with it is paid under its first beneficiary id', async () => {
  const first = await requestTo('500000000001')
  expect((await requestTo('500000000001')).beneficiaryId).toBe(first.beneficiaryId)
  expect((await requestTo('500000000002')).beneficiaryId).not.toBe(first.beneficiaryId)
})

test('a beneficiary id is never reused for another account', async () => {
  const beneficiary = { beneficiaryId: 'ben_x', name: 'Asha Rao', ifsc: 'HDFC0001234', phone: '9876543210' }
  await provider.ensureBeneficiary({ ...beneficiary, bankAccount: '500000000003' })
  const again = await provider.ensureBeneficiary({ ...beneficiary, bankAccount: '500000000004' })
  expect(again).toMatchObject({ kind: 'rejected', code: 'beneficiary_id_already_exists' })
})

test('nothing is sent to an unknown beneficiary', async () => {
  const request = { transferId: 'txn_y', beneficiaryId: 'nobody', amountPaise: paise(100n), remarks: '' }
  expect(shown(await provider.send(request))).toBe('rejected')
  expect(shown(await provider.get('txn_y'))).toBe('none')
})

test('a webhook names its payout, and is valid only with the right signature', async () => {
  const request = await requestTo('500000000000')
  await provider.send(request)
  await advance(1)
  const [webhook] = webhooks
  const body = Buffer.from(webhook?.body ?? '')
  const headers = { ...webhook?.headers }
  expect(provider.parseWebhook(body, headers)).toMatchObject({
    valid: true,
    transferIds: [request.transferId],
  })
  expect(provider.parseWebhook(Buffer.from(`${webhook?.body} `), headers)).toMatchObject({
    valid: false,
    transferIds: [],
  })
})
