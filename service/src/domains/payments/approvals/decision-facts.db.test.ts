import { afterAll, beforeEach, describe, expect } from 'vitest'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import {
  changeAgent,
  insertAgent,
  insertFundedAgent,
  order,
  startNode,
  type TestNode,
} from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import { escrowOf, holdOn, intent, releaseOn } from '../../../testing/escrows.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { remaining, shownIn, usageCommand } from '../../limits/index.ts'
import { executePayment } from '../pay.ts'
import { type DecisionFacts, decisionFacts } from './decision-facts.ts'
import { openPaidBefore, type PaidBeforeCounts } from './paid-before.ts'
import { type ApprovalView, selectApproval } from './store.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let node: TestNode
let paidBefore: PaidBeforeCounts
let payer: Uuid
let payee: Uuid
let other: Uuid

test.beforeAll(() => {
  node = startNode({ database, clock })
})
afterAll(() => node.ledger.close())

beforeEach(async () => {
  clock.advance(HOUR_MS)
  paidBefore = openPaidBefore(database, 3)
  payer = await insertFundedAgent(node.ledger, database, clock, 10_000_000n, {
    require_human_approval_above_paise: 10_000n,
  })
  payee = await insertAgent(database, clock.now())
  other = await insertAgent(database, clock.now())
})

async function ask(amount = 20_000n, to: Uuid | null = payee): Promise<ApprovalView> {
  const { approval_id = '' } = await node.pay(order(payer, to, amount))
  const approval = await selectApproval(database, parseId('apr', approval_id) ?? '')
  if (approval === null) throw new Error('the payment did not need approval')
  return approval
}

async function factsOf(approval: ApprovalView): Promise<DecisionFacts | undefined> {
  const facts = await decisionFacts({ ...node, paidBefore }, [approval], clock.now())
  return facts.get(approval.id)
}

describe('what an owner reads of a request', () => {
  test('says whether the payee was paid before, and how much, exactly after every payment and release', async () => {
    const approval = await ask()
    let paid = 0n
    for (let round = 0; round < 25; round++) {
      expect(await factsOf(approval)).toMatchObject({
        first_payment_to_payee: paid === 0n,
        paid_to_payee_before: rupees(paid),
      })
      // Several payments within a millisecond, to both payees, in more rows than one statement reads.
      for (let payment = 0; payment < round % 5; payment++) {
        const amount = BigInt(100 + round * 10 + payment)
        await node.pay(order(payer, payee, amount))
        await node.pay(order(payer, other, 5_000n))
        paid += amount
      }
      if (round % 6 === 5) {
        const escrow = await escrowOf(database, await holdOn(node, intent(payer, 700n, { toAgentId: payee })))
        await releaseOn(node, escrow, payee)
        paid += 700n
      }
      if (round % 3 === 0) clock.advance(1)
    }
    // Another node, which has counted nothing yet, agrees.
    paidBefore = openPaidBefore(database)
    expect(await factsOf(approval)).toMatchObject({ paid_to_payee_before: rupees(paid) })
  })

  test('says what would remain of each limit, as it does after the approval', async () => {
    await changeAgent(database, payer, {
      ...{ spend_limit_per_tx_paise: 50_000n, spend_limit_hourly_paise: 100_000n },
      ...{ spend_limit_daily_paise: 200_000n, spend_limit_monthly_paise: 400_000n },
      ...{ per_counterparty_daily_limit_paise: 90_000n, max_counterparties_per_hour: 3 },
    })
    await node.pay(order(payer, other, 5_000n))
    await node.pay(order(payer, payee, 1_234n))
    const approval = await ask()
    const before = await factsOf(approval)
    const again = await ask(30_000n, await insertAgent(database, clock.now()))
    for (const each of [approval, again]) {
      const facts = each === approval ? before : await factsOf(each)
      await node.ledger.submit(
        executePayment(node.agents)(each, { actor: { type: 'owner', id: 'own' }, evidence: null }),
      )
      const left = await node.ledger.submit(
        usageCommand(node.agents, { agentId: payer, payeeId: each.payeeId }, (_, { limits }) =>
          limits.map(limit => ({
            ...{ rule: limit.rule, layer: limit.layer, limit: shownIn(limit, limit.limit) },
            remaining: shownIn(limit, remaining(limit) ?? -1n),
          })),
        ),
      )
      expect(left.filter(({ layer }) => layer === 'agent')).toHaveLength(6)
      expect(facts?.headroom_after).toEqual(left)
    }
  })

  test('says by how much a limit would refuse it', async () => {
    const approval = await ask()
    await changeAgent(database, payer, {
      ...{ spend_limit_per_tx_paise: 15_000n, spend_limit_daily_paise: 12_000n },
      max_counterparties_per_hour: 0,
    })
    const { headroom_after: headroom } = (await factsOf(approval)) ?? {}
    expect(headroom?.filter(({ layer }) => layer === 'agent')).toEqual([
      { rule: 'spend_limit_per_tx', layer: 'agent', limit: 150, remaining: -50 },
      { rule: 'spend_limit_daily', layer: 'agent', limit: 120, remaining: -80 },
      { rule: 'max_counterparties_per_hour', layer: 'agent', limit: 0, remaining: -1 },
    ])
  })

  test('says nothing of one that was decided, and hides no other request where an agent’s row was altered', async () => {
    const approval = await ask()
    expect(await factsOf({ ...approval, status: 'rejected' })).toBeUndefined()
    const altered = {
      ...approval,
      id: approval.payeeId ?? '',
      agentId: '01990000-0000-7000-8000-000000000000',
    }
    const facts = await decisionFacts({ ...node, paidBefore }, [altered, approval], clock.now())
    expect(facts.get(altered.id)).toMatchObject({ headroom_after: null, paid_to_payee_before: null })
    expect(facts.get(approval.id)).toMatchObject({ first_payment_to_payee: true })
  })
})
