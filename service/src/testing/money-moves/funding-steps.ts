import type { FundingMethod, PaidMethod } from '@batua/contract'
import { orderIdOf } from '../../domains/banking/funding/apply-funding-update.ts'
import { endFunding } from '../../domains/banking/funding/check-funding.ts'
import { sessionIdOf } from '../../domains/banking/funding/funding-record.ts'
import { openFunding } from '../../domains/banking/funding/open-funding.ts'
import { collectUpi } from '../../domains/banking/funding/upi.ts'
import type { SimulatedOutcome } from '../../domains/sandbox/outcomes.ts'
import { simulateOutcome } from '../../domains/sandbox/simulate-outcome.ts'
import { HOUR_MS } from '../../kernel/clock.ts'
import { formatId } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { service } from '../../operations/facts.ts'
import type { MoneyNode } from './node.ts'
import { resultOf, tried } from './steps.ts'
import type { MoneyWorld, Session } from './world.ts'

const METHODS: readonly FundingMethod[] = ['link', 'upi', 'card', 'netbanking']
const PAID_METHODS: readonly PaidMethod[] = ['upi', 'card', 'netbanking']
/** Amounts in INR that cause a fault of the gateway, see the sandbox's magic amounts. */
export const MAGIC_RUPEES = [9401n, 9409n, 9422n, 9429n, 9502n, 9408n, 9407n, 9200n, 9100n] as const
const MAGIC_SHARE = 0.08
const UNPAID_SHARE = 0.06
/** The service queries an ended session for a day; a payment after that without a webhook is not found. */
const LOOKED_AFTER_MS = 18 * HOUR_MS

const FIRST_OUTCOMES = {
  ...{ success: 30, unnotified: 6, late_notice: 4, reserialised: 3, rotated_secret: 3, duplicate: 4 },
  ...{ out_of_order: 4, double_payment: 4, refund_pending: 4, late: 3, expire: 3, drop: 2, pending: 2 },
  ...{ flagged: 3, failure: 4, decline: 2, wrong_amount: 3, wrong_currency: 3, forged: 2, unknown_type: 1 },
  ...{ unknown_order: 1, 'give up': 3, 'pay and give up': 3, collect: 4 },
} as const
const LATER_OUTCOMES = {
  ...{ success: 12, duplicate: 4, out_of_order: 2, double_payment: 6, refund_pending: 3, late: 3 },
  ...{ unnotified: 4, wrong_amount: 3, wrong_currency: 2, forged: 2, 'give up': 3, 'pay by hand': 8 },
} as const
const DISPUTES = { chargeback: 6, chargeback_created: 1, chargeback_won: 1 } as const

/** Every outcome of a session that is simulated. */
export const SIMULATED: readonly string[] = [
  ...Object.keys({ ...FIRST_OUTCOMES, ...LATER_OUTCOMES, ...DISPUTES }),
  'pay at the end',
]

type DrawnOutcome = keyof typeof FIRST_OUTCOMES | keyof typeof LATER_OUTCOMES | keyof typeof DISPUTES

/** Opens a session and usually simulates one of its outcomes. */
export async function fundWallet(world: MoneyWorld, node: MoneyNode): Promise<void> {
  const { random, clock } = world
  const { agentId, ownerId, handle } = random.pick(world.people)
  const customer = { id: formatId('own', ownerId), phone: '9876543210' }
  const rupees = random.chance(MAGIC_SHARE) ? random.pick(MAGIC_RUPEES) : null
  const amountPaise = paise(rupees === null ? BigInt(random.between(100, 500_000)) : rupees * 100n)
  if (rupees !== null) world.tally.met(`magic amount: ${rupees}`)
  const payer = { agentId, handle, customer }
  const request = { payer, amountPaise, method: random.pick(METHODS), actor: service('test') }
  const opened = await resultOf(world, openFunding(node.funding, { ...request, opened: random.chance(0.5) }))
  if (opened.kind !== 'response') return
  const funding = opened.response
  const session = { funding, session: sessionIdOf(funding), openedMs: clock.now().getTime() }
  world.sessions.push(session)
  if (random.chance(UNPAID_SHARE)) return
  await simulate(world, node, session, random.weighted(FIRST_OUTCOMES))
  if (random.chance(0.15)) await simulate(world, node, session, random.weighted(LATER_OUTCOMES))
}

/** Simulates a further outcome of a session that is still checked, ended or not. */
export async function simulateAgain(world: MoneyWorld, node: MoneyNode): Promise<void> {
  const { random, clock } = world
  const since = clock.now().getTime() - LOOKED_AFTER_MS
  const recent = world.sessions.slice(world.sessions.findLastIndex(({ openedMs }) => openedMs < since) + 1)
  if (recent.length === 0) return
  await simulate(world, node, random.pick(recent), random.weighted(LATER_OUTCOMES))
}

/** Disputes a payment of any age; its money may be spent or paid out by then. */
export async function dispute(world: MoneyWorld, node: MoneyNode): Promise<void> {
  const { random } = world
  if (world.sessions.length === 0) return
  await simulate(world, node, random.pick(world.sessions), random.weighted(DISPUTES))
}

async function simulate(
  world: MoneyWorld,
  node: MoneyNode,
  session: Session,
  drawn: DrawnOutcome,
): Promise<void> {
  const { funding } = session
  world.tally.met(`simulated: ${drawn}`)
  switch (drawn) {
    case 'give up':
      return tried(world, endFunding(node.funding, funding, 'cancelled'))
    case 'pay and give up': {
      const other = world.random.pick(world.nodes)
      const paying = paySimulated(world, node, session, 'success')
      await Promise.all([paying, tried(world, endFunding(other.funding, funding, 'cancelled'))])
      return
    }
    case 'collect': {
      const payer = world.random.pick(['testsuccess@gocash', 'testfailure@gocash', 'nobody@gocash'])
      return tried(world, collectUpi(node.funding, funding, payer))
    }
    case 'pay by hand':
      return payByHand(world, session)
    default:
      return paySimulated(world, node, session, drawn)
  }
}

function paySimulated(
  world: MoneyWorld,
  node: MoneyNode,
  { session }: Session,
  outcome: SimulatedOutcome,
): Promise<void> {
  const { random } = world
  const method = random.chance(0.5) ? random.pick(PAID_METHODS) : undefined
  return tried(world, simulateOutcome(node.sandbox, session, outcome, method))
}

/** Outcomes that bring money in any state of the session, with or without a webhook. */
async function payByHand({ random, gateway }: MoneyWorld, { funding }: Session): Promise<void> {
  const wrong = random.chance(0.3) ? { amountPaise: paise(funding.amountPaise + 1n) } : {}
  const attempt = { method: random.pick([...PAID_METHODS, 'other'] as const), ...wrong }
  const payment = await gateway.simulation.pay(orderIdOf(funding), attempt)
  if (random.chance(0.7)) await gateway.simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
}

/** A payment just before or after the moment at which the session ends, without a webhook. */
export async function payAtTheEnd(
  { tally, clock, gateway }: MoneyWorld,
  { funding }: Session,
  offsetMs: number,
): Promise<void> {
  clock.set(new Date(funding.expiresAt.getTime() + offsetMs))
  tally.met('simulated: pay at the end')
  await gateway.simulation.pay(orderIdOf(funding), { method: 'upi' })
}
