import fc from 'fast-check'
import { expect } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import { checkLedger } from '../../../ledger/index.ts'
import { service } from '../../../operations/facts.ts'
import { balanceOf, fund } from '../../../testing/builders.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { PROOF_LENGTH } from '../../../testing/knobs.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { openPayoutNetwork, openPayoutNode, type PayoutNetwork } from '../../../testing/paying-out.ts'
import { type SendScript, scriptedPayouts, webhookOf } from '../../../testing/scripted-payouts.ts'
import { handleGatewayWebhook } from '../gateway-webhooks.ts'
import { payoutAttempts } from './check-payout.ts'
import { UNKNOWN_COUNTS_AFTER_MS } from './decide.ts'
import { transferIdOf } from './payout.ts'
import { payoutWebhooks } from './payout-webhooks.ts'
import { withdrawCommand } from './withdraw.ts'

const RUNS = 10 * PROOF_LENGTH
const PAYOUTS = 6
const AMOUNT = 10_000n

const clock = manualClock(new Date('2026-11-20T10:15:30.000Z'))
let people: PayoutNetwork

test.beforeAll(async () => {
  people = await openPayoutNetwork(db, clock)
})

const SCRIPTS = [
  'pending',
  'success',
  'success_without_utr',
  'failed',
  'lost_after',
  'lost_before',
  'lost_before',
  'rejected',
  'retryable',
] as const satisfies SendScript[]

type Step =
  | { readonly kind: 'move'; readonly nodes: readonly number[] }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'away'; readonly away: boolean }
  /** Concurrent webhooks about these payouts, to either node. */
  | { readonly kind: 'webhooks'; readonly of: readonly number[] }
  /** The bank decides what is pending, sets the UTR of what succeeded, or reverses it. */
  | { readonly kind: 'bank'; readonly payout: number; readonly does: 'pays' | 'fails' | 'returns' }
  /** Lost requests arrive after all, less than a minute after they were sent. */
  | { readonly kind: 'arrivals' }
  /** A node crashed with all the payouts that it had claimed. */
  | { readonly kind: 'death' }

const which = fc.nat(PAYOUTS - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('move'),
      nodes: fc.array(fc.nat(1), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      ms: fc.constantFrom(1_000, 20_000, 20_000, 61_000, 130_000, 3_600_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('away'), away: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('webhooks'),
      of: fc.array(which, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('bank'),
      payout: which,
      does: fc.constantFrom('pays', 'fails', 'returns'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('arrivals') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('death') }) },
)

interface Made {
  readonly agentId: Uuid
  readonly transferId: string
}

/** When each payout was sent. */
const sentAtMs = new Map<string, number>()

function openStage() {
  const provider = scriptedPayouts()
  provider.hold(async (call, transferId) => {
    // A later send does not make an earlier lost one younger.
    if (call === 'send' && !provider.lost.has(transferId)) sentAtMs.set(transferId, clock.now().getTime())
  })
  const nodes = [0, 1].map(() => openPayoutNode(db, provider, clock))
  const [first] = nodes
  if (first === undefined) throw new Error('there is no first node')
  return { provider, nodes, first }
}

type Stage = ReturnType<typeof openStage>

async function newPayout({ first }: Stage): Promise<Made> {
  const agentId = await people.agent()
  await fund(first.ledger, agentId, AMOUNT)
  const order = { agentId, amountPaise: null, requestKey: null, idempotencyKey: null, actor: service('test') }
  return { agentId, transferId: transferIdOf(await first.ledger.submit(withdrawCommand(first, order))) }
}

async function runSteps({ provider, nodes }: Stage, payouts: readonly Made[], step: Step): Promise<void> {
  switch (step.kind) {
    case 'move':
      await Promise.all(step.nodes.map(index => payoutAttempts(nodes[index] ?? fail()).run(clock.now())))
      return
    case 'wait':
      return clock.advance(step.ms)
    case 'away':
      return provider.setAway(step.away)
    case 'webhooks':
      await Promise.allSettled(
        step.of.map((index, position) => {
          const node = nodes[position % nodes.length] ?? fail()
          const webhooks = { ...node, handlers: payoutWebhooks(node) }
          return handleGatewayWebhook(
            webhooks,
            provider.name,
            webhookOf(payouts[index]?.transferId ?? ''),
            {},
          )
        }),
      )
      return
    case 'bank':
      return decideAtBank(provider, payouts[step.payout]?.transferId ?? '', step.does)
    case 'arrivals':
      for (const { transferId } of payouts) arrive(provider, transferId)
      return
    case 'death':
      await database.query(`update payouts set next_check_at = $1 where status = 'pending'`, [clock.now()])
  }
}

function arrive(provider: Stage['provider'], transferId: string): void {
  const request = provider.lost.get(transferId)
  const sentMs = sentAtMs.get(transferId)
  if (request === undefined || sentMs === undefined) return
  if (clock.now().getTime() - sentMs < UNKNOWN_COUNTS_AFTER_MS) provider.arrive(request, 'success')
}

function decideAtBank(
  provider: Stage['provider'],
  transferId: string,
  does: 'pays' | 'fails' | 'returns',
): void {
  const known = provider.paid.get(transferId)
  if (known === undefined) return
  const arrived = known.status === 'success'
  if (does === 'returns' && arrived) provider.become(transferId, { status: 'reversed' })
  if (known.status !== 'pending' && !(arrived && known.utr === null)) return
  if (does === 'pays') provider.become(transferId, { status: 'success', utr: `UTR ${transferId}` })
  if (does === 'fails' && !arrived) provider.become(transferId, { status: 'failed' })
}

function fail(): never {
  throw new Error('there is no such node')
}

/** The provider responds, the bank decides everything, and enough time passes for every check. */
async function finish(stage: Stage, payouts: readonly Made[]): Promise<void> {
  stage.provider.setAway(false)
  for (let round = 0; round < 12; round++) {
    clock.advance(round < 6 ? 31 * 60_000 : 2 * DAY_MS)
    await Promise.all(stage.nodes.map(node => payoutAttempts(node).run(clock.now())))
    for (const { transferId } of payouts) decideAtBank(stage.provider, transferId, 'pays')
  }
}

async function expectAgreement(stage: Stage, { agentId, transferId }: Made): Promise<void> {
  const id = parseId('po', transferId)
  const [row] = await database.query<{ status: string }>(`select status from payouts where id = $1`, [id])
  const moved = await database.query<{ kind: string }>(
    `select kind from transfers where linked_id = $1 order by id`,
    [id],
  )
  const events = await database.query(`select name from events where agent_id = $1`, [agentId])
  const atBank = stage.provider.paid.get(transferId)?.status ?? 'never'
  const status = row?.status ?? ''
  // A payout that was reversed before it was reported as paid has failed here.
  const expected = {
    success: ['completed'],
    reversed: ['reversed', 'failed'],
    never: ['failed'],
    failed: ['failed'],
  }
  expect(expected[atBank as keyof typeof expected], `${atBank} at the bank`).toContain(status)
  const kinds = {
    completed: ['payout_paid'],
    failed: ['payout_failed'],
    reversed: ['payout_paid', 'payout_reversed'],
  }
  expect(moved.map(({ kind }) => kind)).toEqual(kinds[status as keyof typeof kinds])
  expect(events).toHaveLength(moved.length)
  expect(await balanceOf(database, agentId)).toBe(status === 'completed' ? 0n : AMOUNT)
}

test('whatever fails in whichever order, each payout ends as it did at the bank, and no money moves twice', async () => {
  const scripts = fc.array(fc.constantFrom(...SCRIPTS), { minLength: PAYOUTS, maxLength: 2 * PAYOUTS })
  const steps = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' })
  const property = fc.asyncProperty(scripts, steps, async (script, steps) => {
    await database.query('update payouts set next_check_at = null')
    const stage = openStage()
    stage.provider.script(...script)
    const payouts = await Promise.all(Array.from({ length: PAYOUTS }, () => newPayout(stage)))
    for (const each of steps) await runSteps(stage, payouts, each)
    await finish(stage, payouts)
    for (const payout of payouts) await expectAgreement(stage, payout)
    const { balanced, system } = await checkLedger(database)
    expect([balanced, system['payouts']]).toEqual([true, 0n])
    expect(stage.nodes.flatMap(node => node.faults)).toEqual([])
    await Promise.all(stage.nodes.map(node => node.close()))
  })
  // A failure prints the seed that reproduces it.
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
}, 600_000)
