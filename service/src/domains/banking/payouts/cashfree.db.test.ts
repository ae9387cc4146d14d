import { afterAll, afterEach, expect } from 'vitest'
import { createCashfreePayouts } from '../../../gateways/cashfree/index.ts'
import {
  FAKE_SECRETS,
  type FakeCashfree,
  startFakeCashfree,
} from '../../../gateways/cashfree/testing/fake-cashfree.ts'
import { FAULTS } from '../../../gateways/cashfree/testing/faults.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { checkLedger } from '../../../ledger/index.ts'
import { service } from '../../../operations/facts.ts'
import { balanceOf, fund } from '../../../testing/builders.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import {
  openPayoutNetwork,
  openPayoutNode,
  type PayoutNetwork,
  type PayoutNode,
} from '../../../testing/paying-out.ts'
import { handleGatewayWebhook } from '../gateway-webhooks.ts'
import { payoutAttempts } from './check-payout.ts'
import { transferIdOf } from './payout.ts'
import { payoutWebhooks } from './payout-webhooks.ts'
import { withdrawCommand } from './withdraw.ts'

const clock = manualClock(new Date('2026-11-20T10:15:30.000Z'))
let cashfree: FakeCashfree
let people: PayoutNetwork
let node: PayoutNode

test.beforeAll(async () => {
  cashfree = await startFakeCashfree({ clock })
  people = await openPayoutNetwork(db, clock)
  node = openPayoutNode(db, createCashfreePayouts(cashfree.payoutOptions), clock)
})
afterEach(() => expect(cashfree.violations).toEqual([]))
afterAll(async () => {
  await node.close()
  await cashfree.close()
})

interface Sent {
  readonly agentId: Uuid
  readonly id: Uuid
  readonly transferId: string
}

/** A payout of 100 INR from a wallet of 100 INR. */
async function withdrawn(): Promise<Sent> {
  const agentId = await people.agent()
  await fund(node.ledger, agentId, 10_000n)
  const { id } = await node.ledger.submit(
    withdrawCommand(node, {
      agentId,
      amountPaise: null,
      requestKey: null,
      idempotencyKey: null,
      actor: service('test'),
    }),
  )
  return { agentId, id, transferId: transferIdOf({ id }) }
}

async function moveAfter(ms: number): Promise<void> {
  clock.advance(ms)
  await payoutAttempts(node).run(clock.now())
}

async function notify(
  type: string,
  { transferId }: Sent,
  state: object,
  secret: string = FAKE_SECRETS.payouts,
) {
  const { body, headers } = cashfree.webhook(type, { transfer_id: transferId, ...state }, { secret })
  try {
    await handleGatewayWebhook(
      { ...node, handlers: payoutWebhooks(node) },
      'cashfree-payouts',
      Buffer.from(body),
      {
        ...headers,
      },
    )
    return 200
  } catch (error) {
    if (error instanceof AppError) return error.status
    throw error
  }
}

async function stateOf({ id, agentId }: Sent) {
  const [row] = await database.query<{ status: string; utr: string | null }>(
    `select status, utr from payouts where id = $1`,
    [id],
  )
  return { ...row, balance: await balanceOf(database, agentId) }
}

const COMPLETED = { status: 'SUCCESS', status_code: 'COMPLETED', transfer_utr: '404223241811' } as const
const transfersOf = ({ transferId }: Sent) =>
  cashfree.requests.filter(({ path, text }) => path === '/payout/transfers' && text.includes(transferId))
    .length

test('a withdrawal is sent once and completed by its webhook, with the bank’s reference', async () => {
  const sent = await withdrawn()
  await moveAfter(0)
  expect(await stateOf(sent)).toMatchObject({ status: 'pending', balance: 0n })
  cashfree.payouts.setTransfer(sent.transferId, COMPLETED)
  expect(await notify('TRANSFER_SUCCESS', sent, COMPLETED)).toBe(200)
  expect(await notify('TRANSFER_SUCCESS', sent, COMPLETED)).toBe(200)
  expect(await stateOf(sent)).toEqual({ status: 'completed', utr: '404223241811', balance: 0n })
  expect(transfersOf(sent)).toBe(1)
})

test('a payout without a webhook is completed by polling', async () => {
  const sent = await withdrawn()
  await moveAfter(0)
  cashfree.payouts.setTransfer(sent.transferId, COMPLETED)
  await moveAfter(HOUR_MS)
  expect(await stateOf(sent)).toMatchObject({ status: 'completed', utr: '404223241811' })
})

test('a payout that is still on its way to the other bank is not completed', async () => {
  const sent = await withdrawn()
  await moveAfter(0)
  cashfree.payouts.setTransfer(sent.transferId, { ...COMPLETED, status_code: 'SENT_TO_BENEFICIARY' })
  await moveAfter(HOUR_MS)
  expect(await stateOf(sent)).toMatchObject({ status: 'pending' })
})

test('owners with the same account are all paid, though Cashfree registers an account once', async () => {
  const both = [await withdrawn(), await withdrawn()]
  await moveAfter(0)
  expect(cashfree.payouts.beneficiaries.size).toBe(1)
  for (const { transferId } of both) expect(cashfree.payouts.transfers.has(transferId)).toBe(true)
})

test.each(['FAILED', 'REJECTED', 'MANUALLY_REJECTED'])(
  'a payout that is %s is credited back, once',
  async status => {
    const sent = await withdrawn()
    await moveAfter(0)
    cashfree.payouts.setTransfer(sent.transferId, { status, status_code: 'BENE_BANK_OFFLINE' })
    expect(await notify('TRANSFER_FAILED', sent, { status_code: 'BENE_BANK_OFFLINE' })).toBe(200)
    await moveAfter(HOUR_MS)
    expect(await stateOf(sent)).toEqual({ status: 'failed', utr: null, balance: 10_000n })
  },
)

test('a payout that is reversed after it succeeded is credited back', async () => {
  const sent = await withdrawn()
  await moveAfter(0)
  cashfree.payouts.setTransfer(sent.transferId, COMPLETED)
  await notify('TRANSFER_SUCCESS', sent, COMPLETED)
  const reversed = { status: 'REVERSED', status_code: 'RETURNED_FROM_BENEFICIARY' }
  cashfree.payouts.setTransfer(sent.transferId, reversed)
  expect(await notify('TRANSFER_REVERSED', sent, reversed)).toBe(200)
  expect(await stateOf(sent)).toMatchObject({ status: 'reversed', balance: 10_000n })
})

test.each(['noResponseAfter', 'resetAfter', 'malformed', 'empty', 'badGatewayAfter'] as const)(
  'a payout that arrived in spite of %s is paid once',
  async name => {
    const sent = await withdrawn()
    cashfree.faults.next('POST /payout/transfers', FAULTS[name])
    await moveAfter(0)
    await moveAfter(HOUR_MS)
    cashfree.payouts.setTransfer(sent.transferId, COMPLETED)
    await moveAfter(HOUR_MS)
    expect(await stateOf(sent)).toMatchObject({ status: 'completed', balance: 0n })
    expect(transfersOf(sent)).toBe(1)
  },
)

test.each(['noResponseBefore', 'resetBefore', 'tooMany', 'unauthorized', 'forbidden', 'badGateway'] as const)(
  'a payout that %s kept from the provider is sent later, and its money stays reserved meanwhile',
  async name => {
    const sent = await withdrawn()
    cashfree.faults.next('POST /payout/transfers', FAULTS[name])
    await moveAfter(0)
    expect(await stateOf(sent)).toMatchObject({ status: 'pending', balance: 0n })
    await moveAfter(HOUR_MS)
    expect(cashfree.payouts.transfers.has(sent.transferId)).toBe(true)
  },
)

test('a forged webhook is refused, and after a genuine one the provider is queried', async () => {
  const sent = await withdrawn()
  await moveAfter(0)
  expect(await notify('TRANSFER_SUCCESS', sent, COMPLETED, FAKE_SECRETS.payments)).toBe(401)
  expect(await notify('TRANSFER_SUCCESS', sent, COMPLETED)).toBe(200)
  expect(await stateOf(sent)).toMatchObject({ status: 'pending', balance: 0n })
})

test('after all of it the ledger check passes', async () => {
  const { balanced, wrongBalances, brokenHistories } = await checkLedger(database)
  expect({ balanced, wrongBalances, brokenHistories }).toEqual({
    balanced: true,
    wrongBalances: [],
    brokenHistories: [],
  })
  expect(node.faults).toEqual([])
})
