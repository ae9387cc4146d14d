import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect } from 'vitest'
import type { AppIdentity } from '../../http/caller.ts'
import type { AppError } from '../../kernel/app-error.ts'
import { istDay } from '../../kernel/clock.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import { approvalOf, approve } from '../../testing/approving.ts'
import { connectApp, endApp } from '../../testing/apps.ts'
import { authorizationIntent, authorizeOn, captureOn, endOn } from '../../testing/authorizing.ts'
import {
  insertFundedAgent,
  order,
  outcomesOf,
  refundOrder,
  startNode,
  type TestNode,
} from '../../testing/builders.ts'
import { TEST_VAULT } from '../../testing/database.ts'
import { database, test } from '../../testing/database-test.ts'
import { escrowOf, holdOn, intent, refundOn } from '../../testing/escrows.ts'
import { PROOF_LENGTH, SEED } from '../../testing/knobs.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { selectAppByKey } from '../limits/index.ts'
import type { Authorization } from '../payments/authorizations/authorization.ts'

/** Payments, holds and authorizations above it wait for the owner: a quarter of the random ones. */
const ASKS_ABOVE = 3_000n
const ASKING = { require_human_approval_above_paise: ASKS_ABOVE }
const NOON = new Date('2026-11-20T06:30:00.000Z')
const clock = manualClock(NOON)
let nodes: readonly [TestNode, TestNode]
let payer: Uuid
let payee: Uuid

test.beforeAll(() => {
  nodes = [startNode({ database, clock }), startNode({ database, clock })]
})
afterAll(async () => {
  await Promise.all(nodes.map(({ ledger }) => ledger.close()))
})
beforeEach(async () => {
  payer = await insertFundedAgent(nodes[0].ledger, database, clock, 1_000_000_000n)
  payee = await insertFundedAgent(nodes[0].ledger, database, clock, 1_000_000_000n)
})

const nodeAt = (at: number) => nodes[at % 2] ?? nodes[0]

/** What an app has spent on its day by its row. */
async function spentBy({ id }: AppIdentity, agentId = payer) {
  const app = await selectAppByKey(database, TEST_VAULT, { agentId, id })
  if (app === null) throw new Error('an app is never removed')
  return app
}

/**
 * What an app has spent on each day by the ledger alone: payments and refunds that it made, and holds that were not given
 * back on the day of the hold. The row of the app is not read.
 */
async function spentByLedger(app: AppIdentity): Promise<Map<number, bigint>> {
  const refunds = await database.query<{ target: string }>(
    `select target from audit_entries where actor_type = 'app' and actor_id = $1 and action = 'payment.refunded'`,
    [formatId('app', app.id)],
  )
  const rows = await database.query<{ at: Date; amount: bigint }>(
    `select t.posted_at as at, t.amount_paise as amount from transfers t
     where (t.kind = 'payment' and t.linked_id = $1) or (t.kind = 'refund' and t.id = any($2::uuid[]))
     union all
     select t.posted_at, t.amount_paise from escrows e join transfers t on t.id = e.id
     where e.app_id = $1 and e.status <> 'refunded'
     union all
     select t.posted_at, case when a.status in ('open', 'closing') then a.amount_paise else a.captured_paise end
     from authorizations a join transfers t on t.id = a.id where a.app_id = $1`,
    [app.id, refunds.map(({ target }) => parseId('rfd', target))],
  )
  const days = new Map<number, bigint>()
  for (const { at, amount } of rows) days.set(istDay(at), (days.get(istDay(at)) ?? 0n) + amount)
  return days
}

/** The row agrees with the ledger, and no day has more than the cap. */
async function expectWithinCap(app: AppIdentity, daily: bigint, agentId = payer): Promise<void> {
  const days = await spentByLedger(app)
  for (const spent of days.values()) expect(spent).toBeLessThanOrEqual(daily)
  const { spentDay, spentPaise } = await spentBy(app, agentId)
  expect(spentPaise).toBe(days.get(spentDay) ?? 0n)
}

const payOn = (node: TestNode, amount: bigint, app: AppIdentity | null, more = {}) =>
  node.pay(order(payer, payee, amount, { app, ...more }))

describe('200 concurrent requests of an app on two nodes', () => {
  test('spend its cap as far as they fit, and each refusal says what is left', async () => {
    const app = await connectApp(nodes[0], payer, { daily: 63_500n })
    const { done, refused } = await outcomesOf(
      Array.from({ length: 200 }, (_, at) => payOn(nodeAt(at), 1_000n, app)),
    )
    expect(done).toHaveLength(63)
    for (const { code, details } of refused) {
      expect(code).toBe('spend_limit_exceeded')
      expect(details).toMatchObject({ rule: 'spend_limit_daily', layer: 'app', limit: 635, used: 630 })
      expect(details).toMatchObject({ remaining: 5, max_amount_now: 5, retry_at: '2026-11-20T18:30:00.000Z' })
    }
    await expectWithinCap(app, 63_500n)
  })

  test('leave the caps of other apps and the limits of the agent alone', async () => {
    const [first, second] = [
      await connectApp(nodes[0], payer, { daily: 10_000n }),
      await connectApp(nodes[0], payer, { daily: 20_000n }),
    ]
    const of = [first, second, null]
    await outcomesOf(Array.from({ length: 210 }, (_, at) => payOn(nodeAt(at), 1_000n, of[at % 3] ?? null)))
    expect((await spentBy(first)).spentPaise).toBe(10_000n)
    expect((await spentBy(second)).spentPaise).toBe(20_000n)
    await expectWithinCap(first, 10_000n)
    await expectWithinCap(second, 20_000n)
  })

  test('count payments, holds and refunds together, and what an owner approves', async () => {
    const app = await connectApp(nodes[0], payer, { daily: 50_000n })
    const received = await nodes[0].pay(order(payee, payer, 100_000n))
    const waiting = await Promise.all(
      Array.from({ length: 20 }, async (_, at) =>
        approvalOf(database, await payOn(nodeAt(at), 1_000n, app, { asksOwner: true })),
      ),
    )
    expect((await spentBy(app)).spentPaise).toBe(0n)
    const refund = await refundOrder(database, received.payment_id, 1_000n)
    const works = Array.from({ length: 20 }, (_, at) => [
      payOn(nodeAt(at), 1_000n, app),
      holdOn(nodeAt(at), intent(payer, 1_000n, { toAgentId: payee, app })),
      nodeAt(at).refund({ ...refund, app }),
      ...waiting.slice(at, at + 1).map(each => approve(nodeAt(at), each)),
    ])
    const { done, refused } = await outcomesOf(works.flat() as Promise<object>[])
    expect(done).toHaveLength(50)
    for (const { details } of refused) expect(details).toMatchObject({ layer: 'app', remaining: 0 })
    await expectWithinCap(app, 50_000n)
  })

  test('are counted when an owner approves them, be they payments, holds or authorizations', async () => {
    payer = await insertFundedAgent(nodes[0].ledger, database, clock, 1_000_000n, ASKING)
    const app = await connectApp(nodes[0], payer, { daily: 50_000n })
    const amount = ASKS_ABOVE + 1_000n
    const waiting = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const held = await holdOn(nodeAt(at), intent(payer, amount, { toAgentId: payee, app }))
        const paid = await payOn(nodeAt(at), amount, app)
        const opened = await authorizeOn(nodeAt(at), authorizationIntent(payer, payee, amount, { app }))
        if (!('waiting' in opened)) throw new Error('it does not wait for the owner')
        return [await approvalOf(database, held), await approvalOf(database, paid), opened.waiting]
      }),
    )
    expect((await spentBy(app)).spentPaise).toBe(0n)
    const { done, refused } = await outcomesOf(waiting.flat().map((each, at) => approve(nodeAt(at), each)))
    expect([done.length, refused.length]).toEqual([12, 18])
    for (const { details } of refused)
      expect(details).toMatchObject({ layer: 'app', used: 480, remaining: 20 })
    await expectWithinCap(app, 50_000n)
  })

  test('are refused one by one where each is above the most for one payment', async () => {
    const app = await connectApp(nodes[0], payer, { daily: 1_000_000n, perTx: 1_000n })
    const { done, refused } = await outcomesOf(
      Array.from({ length: 200 }, (_, at) => payOn(nodeAt(at), 981n + BigInt(at % 40), app)),
    )
    expect([done.length, refused.length]).toEqual([100, 100])
    for (const { details } of refused) {
      expect(details).toMatchObject({
        rule: 'spend_limit_per_tx',
        layer: 'app',
        limit: 10,
        max_amount_now: 10,
      })
    }
  })
})

test('no payment of an app commits after its owner has ended it, on any node', async () => {
  for (let round = 0; round < 3 * PROOF_LENGTH; round++) {
    const app = await connectApp(nodes[0], payer, { daily: 1_000_000n })
    const early = outcomesOf(Array.from({ length: 60 }, (_, at) => payOn(nodeAt(at), 100n, app)))
    await endApp(nodes[1], payer, app)
    const { spentPaise, endedAt } = await spentBy(app)
    expect(endedAt).not.toBeNull()
    const late = await outcomesOf(Array.from({ length: 20 }, (_, at) => payOn(nodeAt(at), 100n, app)))
    expect(late.done).toEqual([])
    for (const { code } of late.refused) expect(code).toBe('authentication_error')
    await early
    expect((await spentBy(app)).spentPaise).toBe(spentPaise)
  }
})

test('what an app asked for cannot be approved once the app has ended or expired', async () => {
  for (const end of [
    (app: AppIdentity) => endApp(nodes[0], payer, app),
    () => clock.advance(2 * 3_600_000),
  ]) {
    const app = await connectApp(nodes[0], payer, { daily: 10_000n, days: 1 / 24 })
    const waiting = await approvalOf(database, await payOn(nodes[0], 1_000n, app, { asksOwner: true }))
    await end(app)
    await expect(approve(nodes[1], waiting)).rejects.toMatchObject({ code: 'conflict' })
  }
})

test('a hold that is refunded on its day leaves the cap, and one of another day does not', async () => {
  clock.set(NOON)
  const app = await connectApp(nodes[0], payer, { daily: 10_000n })
  const hold = async () =>
    escrowOf(database, await holdOn(nodes[0], intent(payer, 10_000n, { toAgentId: payee, app })))
  const first = await hold()
  await expect(payOn(nodes[1], 1n, app)).rejects.toMatchObject({ details: { layer: 'app', remaining: 0 } })
  await refundOn(nodes[1], first)
  const second = await hold()
  clock.advance(24 * 3_600_000)
  await payOn(nodes[0], 4_000n, app)
  await refundOn(nodes[1], second)
  expect((await spentBy(app)).spentPaise).toBe(4_000n)
  await expect(payOn(nodes[0], 6_001n, app)).rejects.toMatchObject({ details: { remaining: 60 } })
  await payOn(nodes[0], 6_000n, app)
})

const KINDS = [
  ...(['pay', 'pay', 'hold', 'authorize', 'end', 'ask', 'give back', 'refund'] as const),
  ...(['approve', 'approve'] as const),
]

/** One step of a random program: many requests at once, and then some time. */
interface Step {
  readonly works: readonly {
    readonly kind: (typeof KINDS)[number]
    readonly by: number
    readonly amount: number
  }[]
  readonly hours: number
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    works: fc.array(
      fc.record({
        kind: fc.constantFrom(...KINDS),
        by: fc.nat(2),
        amount: fc.integer({ min: 1, max: 4_000 }),
      }),
      { minLength: 10, maxLength: 40 },
    ),
    hours: fc.constantFrom(0, 0, 5, 14),
  }),
  { minLength: 3, maxLength: 6 },
)

test('whatever is requested at once, on whichever day, no app spends a paisa more than its cap', async () => {
  console.log(`app race seed ${SEED}`)
  let refusedByCap = 0
  const approved = new Set<string>()
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.tuple(fc.integer({ min: 3_000, max: 30_000 }), fc.integer({ min: 500, max: 5_000 })),
      async (program, [daily, perTx]) => {
        // An agent has only so many apps.
        payer = await insertFundedAgent(nodes[0].ledger, database, clock, 1_000_000_000n, ASKING)
        const agentId = payer
        const caps = { daily: BigInt(daily), perTx: BigInt(Math.min(perTx, daily)) }
        const apps = [await connectApp(nodes[0], agentId, caps), await connectApp(nodes[1], agentId, caps)]
        const received = await nodes[0].pay(order(payee, agentId, 1_000_000n))
        const authorized: Authorization[] = []
        const [held, waiting]: [Parameters<typeof refundOn>[1][], Parameters<typeof approve>[1][]] = [[], []]
        const run = async ({ kind, by, amount }: Step['works'][number], at: number): Promise<object> => {
          const [node, app, paise] = [nodeAt(at), apps[by] ?? null, BigInt(amount)]
          switch (kind) {
            case 'pay': {
              const made = await payOn(node, paise, app)
              if (made.status === 'pending_approval') waiting.push(await approvalOf(database, made))
              return made
            }
            case 'hold': {
              const made = await holdOn(node, intent(agentId, paise, { toAgentId: payee, app }))
              if (made.escrow_id === null) waiting.push(await approvalOf(database, made))
              else held.push(await escrowOf(database, made))
              return made
            }
            case 'authorize': {
              const made = await authorizeOn(node, authorizationIntent(agentId, payee, paise, { app }))
              if ('waiting' in made) waiting.push(made.waiting)
              else authorized.push(made.authorization)
              return made
            }
            case 'end': {
              const open = authorized.pop()
              if (open === undefined) return {}
              if (amount % 2 === 0) return endOn(node, open, 'voided')
              await captureOn(node, open, 'amount', BigInt(Math.ceil(amount / 2)), true)
              return open
            }
            case 'ask': {
              const asked = await payOn(node, paise, app, { asksOwner: true })
              waiting.push(await approvalOf(database, asked))
              return asked
            }
            case 'give back': {
              const escrow = held.pop()
              return escrow === undefined ? {} : refundOn(node, escrow)
            }
            case 'refund':
              return node.refund({ ...(await refundOrder(database, received.payment_id, paise)), app })
            case 'approve': {
              const approval = waiting.pop()
              if (approval === undefined) return {}
              const { made } = await approve(node, approval)
              approved.add(approval.kind)
              if (made.escrow !== undefined) held.push(await escrowOf(database, made.escrow))
              return made
            }
          }
        }
        for (const { works, hours } of program) {
          const { refused } = await outcomesOf(works.map(run))
          refusedByCap += refused.filter(({ details }: AppError) => details?.['layer'] === 'app').length
          clock.advance(hours * 3_600_000)
        }
        for (const app of apps) await expectWithinCap(app, caps.daily, agentId)
      },
    ),
    { numRuns: 4 * PROOF_LENGTH, seed: SEED, endOnFailure: true },
  )
  // A short run may approve nothing of a kind; the test above approves each.
  console.log(`${refusedByCap} refused by a cap, approved: ${[...approved].toSorted().join(', ')}`)
  expect(refusedByCap).toBeGreaterThan(0)
})
