import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { HOUR_MS } from '../../kernel/clock.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import {
  balanceOf,
  insertAgent,
  insertFundedAgent,
  startNode,
  type TestNode,
} from '../../testing/builders.ts'
import { attestOn, held, intent, refundOn, releaseOn } from '../../testing/escrows.ts'
import { keepRow } from '../../testing/kept-row.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { openPayoutNetwork } from '../../testing/paying-out.ts'
import { openPayoutStage, type PayoutStage } from '../../testing/payout-stage.ts'
import { checkFunding } from '../banking/funding/check-funding.ts'
import { gatewayRefunds } from '../banking/funding/refunds.ts'
import type { Escrow } from '../payments/escrow/escrow.ts'
import { escrowTimeouts } from '../payments/escrow/timeouts.ts'
import { simulateOutcome } from '../sandbox/simulate-outcome.ts'
import { test, world } from '../sandbox/testing/world.ts'

let node: TestNode

test.beforeAll(async () => {
  node = startNode({ database: world.db.database, clock: world.clock })
})
afterAll(async () => {
  await node.ledger.close()
})

const query = <Row extends object>(text: string, values: readonly unknown[] = []) =>
  world.db.database.query<Row>(text, values)
const keep = (table: string, id: Uuid) => keepRow(world.db.database, table, id)

type Edit = readonly [what: string, edit: (target: string, id: Uuid) => Promise<unknown>]

const EDITED_LOG: Edit = [
  'its audit entries',
  target => query(`update audit_entries set target = 'another' where target = $1`, [target]),
]
const EDITED_LINK: Edit = [
  'the transfers that are linked to it',
  (_target, id) => query('update transfers set linked_id = gen_random_uuid() where linked_id = $1', [id]),
]
const EDITED_KIND: Edit = [
  'the kind of its transfers',
  (_target, id) => query(`update transfers set kind = 'payment' where $1 in (id, linked_id)`, [id]),
]
const EDITED_ID: Edit = [
  'the id of its transfer',
  (_target, id) => query('update transfers set id = gen_random_uuid() where id = $1', [id]),
]

describe('an escrow that has ended, set back to waiting', () => {
  let payer: Uuid
  let payee: Uuid
  let attestor: Uuid

  beforeEach(async () => {
    const { database } = world.db
    payer = await insertFundedAgent(node.ledger, database, world.clock, 100_000n)
    payee = await insertAgent(database, world.clock.now())
    attestor = await insertAgent(database, world.clock.now())
  })

  const ends: readonly (readonly [string, (escrow: Escrow) => Promise<unknown>])[] = [
    ['released', escrow => releaseOn(node, escrow, payee)],
    ['refunded', escrow => refundOn(node, escrow)],
    ['attested', escrow => attestOn(node, escrow)],
    ['timed out', timeOut],
  ]

  async function timeOut(): Promise<void> {
    world.advance(3_600)
    await escrowTimeouts(node).run(world.clock.now())
  }

  const balances = async () =>
    Promise.all([payer, payee, attestor].map(id => balanceOf(world.db.database, id)))

  describe.each([EDITED_LINK, EDITED_KIND, EDITED_LOG])('with an edit of %s', (_what, edit) => {
    test.each(ends)('after it was %s moves no money again, no matter who ends it', async (_way, end) => {
      const escrow = await held(world.db.database, node, {
        ...intent(payer, 5_000n, { toAgentId: payee, attestorId: attestor }),
        timeoutMs: HOUR_MS,
        autoAction: 'release',
      })
      const putBack = await keep('escrows', escrow.id)
      await end(escrow)
      const ended = await balances()
      expect(ended).not.toEqual([95_000n, 0n, 0n])
      await putBack()
      await edit(formatId('esc', escrow.id), escrow.id)
      for (const [way, again] of ends) {
        const outcome = again(escrow)
        if (way === 'timed out') await outcome
        else await expect(outcome).rejects.toThrow('older than what was recorded')
      }
      expect(await balances()).toEqual(ended)
      await query('delete from escrows where id = $1', [escrow.id])
    })
  })
})

describe('a funding that has ended, set back to waiting', () => {
  const target = (id: Uuid) => formatId('fund', id)
  const edits = [EDITED_LINK, EDITED_KIND, EDITED_ID, EDITED_LOG]

  test.each(edits)('is credited once, also with an edit of %s', async (_what, edit) => {
    const agent = await world.newAgentOfNewOwner()
    const { funding, session } = await world.open(agent)
    const putBack = await keep('fundings', funding.id)
    await simulateOutcome(world.sandbox, session, 'success')
    const credited = await world.balance(agent)
    expect(credited).toBeGreaterThan(0n)
    await putBack()
    await edit(target(funding.id), funding.id)
    await expect(checkFunding(world.funding, funding)).rejects.toThrow('older than what was recorded')
    expect(await world.balance(agent)).toBe(credited)
    expect(await world.refundsOf(funding)).toEqual([])
    await query('delete from fundings where id = $1', [funding.id])
  })

  test.each([EDITED_LINK, EDITED_KIND, EDITED_LOG])(
    'is taken back once, also with an edit of %s',
    async (_what, edit) => {
      const agent = await world.newAgentOfNewOwner()
      const { funding, session } = await world.open(agent)
      await simulateOutcome(world.sandbox, session, 'success')
      const putBack = await keep('fundings', funding.id)
      await simulateOutcome(world.sandbox, session, 'chargeback')
      const before = await world.balance(agent)
      await putBack()
      await edit(target(funding.id), funding.id)
      await expect(checkFunding(world.funding, funding)).rejects.toThrow('older than what was recorded')
      expect(await world.balance(agent)).toBe(before)
      await query('delete from fundings where id = $1', [funding.id])
    },
  )

  test('does not credit a payment that is refunded to its payer, also with an edit of its audit entries', async () => {
    const agent = await world.newAgentOfNewOwner()
    const { funding, session } = await world.open(agent)
    const putBack = await keep('fundings', funding.id)
    await simulateOutcome(world.sandbox, session, 'late')
    expect(await world.refundsOf(funding)).toMatchObject([{ reason: 'late', status: 'done' }])
    await putBack()
    await query(`update fundings set expires_at = '9999-12-31' where id = $1`, [funding.id])
    await EDITED_LOG[1](target(funding.id), funding.id)
    await checkFunding(world.funding, funding)
    expect(await world.balance(agent)).toBe(0n)
    expect(await world.refundsOf(funding)).toHaveLength(1)
  })
})

describe('a funding that was deleted', () => {
  /** The gateway reports its payment, for the first time as far as the service knows. */
  const sendWebhook = async (orderId: string) => {
    const { simulation } = world.gateway
    const payment = await simulation.firstPaid(orderId)
    if (payment === null) throw new Error('nobody has paid')
    await query('delete from gateway_notices')
    await simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
    await gatewayRefunds(world.funding).run(world.clock.now())
  }

  test('after it was credited causes no refund to its payer', async () => {
    const agent = await world.newAgentOfNewOwner()
    const { funding, session } = await world.open(agent)
    await simulateOutcome(world.sandbox, session, 'success')
    await query('delete from fundings where id = $1', [funding.id])
    await expect(sendWebhook(formatId('fund', funding.id))).rejects.toThrow('is gone')
    expect(await world.refundsOf(funding)).toEqual([])
  })

  test('and is restored after its payment was refunded to its payer credits nothing', async () => {
    const agent = await world.newAgentOfNewOwner()
    const { funding } = await world.open(agent)
    const putBack = await keep('fundings', funding.id)
    const orderId = formatId('fund', funding.id)
    await query('delete from fundings where id = $1', [funding.id])
    await world.gateway.simulation.pay(orderId, { method: 'upi' })
    await sendWebhook(orderId)
    expect(await world.refundsOf(funding)).toMatchObject([{ reason: 'unknown_order', status: 'done' }])
    await putBack()
    await checkFunding(world.funding, funding)
    expect(await world.balance(agent)).toBe(0n)
  })
})

describe('a payout that has ended, set back to pending', () => {
  const clock = manualClock(new Date('2026-11-20T10:15:30.000Z'))
  let stage: PayoutStage

  beforeAll(async () => {
    stage = await openPayoutStage(world.db, await openPayoutNetwork(world.db, clock), clock)
  })
  afterAll(() => stage.close())

  const edits = [EDITED_LINK, EDITED_KIND, EDITED_LOG]

  test.each(edits)('is credited back to its wallet once, also with an edit of %s', async (_what, edit) => {
    const payout = await stage.withdrawn('failed')
    const putBack = await keep('payouts', payout.id)
    await stage.move()
    expect(await balanceOf(world.db.database, payout.agentId)).toBe(10_000n)
    await putBack()
    await edit(formatId('txn', payout.id), payout.id)
    await stage.move()
    await stage.moveAfter(HOUR_MS)
    expect(await balanceOf(world.db.database, payout.agentId)).toBe(10_000n)
    await query('delete from payouts where id = $1', [payout.id])
  })

  const EDITED_RETURN: Edit = [
    'the transfer that brought it back',
    (_target, id) =>
      query(`update transfers set linked_id = null where linked_id = $1 and kind = 'payout_reversed'`, [id]),
  ]

  test.each([EDITED_RETURN, EDITED_LOG])(
    'that the bank sent back comes back once, also with an edit of %s',
    async (_what, edit) => {
      const payout = await stage.withdrawn('success')
      await stage.move()
      const putBack = await keep('payouts', payout.id)
      stage.provider.become(payout.transferId, { status: 'reversed' })
      await stage.moveAfter(2 * HOUR_MS)
      expect(await balanceOf(world.db.database, payout.agentId)).toBe(10_000n)
      await putBack()
      await edit(formatId('txn', payout.id), payout.id)
      await stage.moveAfter(24 * HOUR_MS)
      expect(await balanceOf(world.db.database, payout.agentId)).toBe(10_000n)
      await query('delete from payouts where id = $1', [payout.id])
    },
  )

  test.each(edits)('is not sent again, also with an edit of %s', async (_what, edit) => {
    const payout = await stage.withdrawn('success')
    const putBack = await keep('payouts', payout.id)
    await stage.move()
    const sent = stage.provider.sent.length
    await putBack()
    await edit(formatId('txn', payout.id), payout.id)
    await stage.moveAfter(HOUR_MS)
    expect(stage.provider.sent).toHaveLength(sent)
    await query('delete from payouts where id = $1', [payout.id])
  })
})
