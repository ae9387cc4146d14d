import { addBusinessDays, calendarOf, istTime } from '../../kernel/business-days.ts'
import { DAY_MS, HOUR_MS, istDay } from '../../kernel/clock.ts'
import { nextTurn } from './faulty-connection.ts'
import { dispute, fundWallet, payAtTheEnd, simulateAgain } from './funding-steps.ts'
import { submitAccount, withdrawMoney } from './payout-steps.ts'
import type { Step } from './steps.ts'
import { endEscrow, holdMoney, payAnother } from './wallet-steps.ts'
import { type MoneyWorld, replaceNode } from './world.ts'

const STEPS = {
  fund: 36,
  again: 8,
  dispute: 3,
  pay: 9,
  hold: 4,
  end: 4,
  withdraw: 34,
  kyc: 3,
} as const

const DO: Readonly<Record<keyof typeof STEPS, Step>> = {
  fund: fundWallet,
  again: simulateAgain,
  dispute,
  pay: payAnother,
  hold: holdMoney,
  end: endEscrow,
  withdraw: withdrawMoney,
  kyc: submitAccount,
}

const LEAST_AT_ONCE = 40
/** The more moves in all, the more at once, because in every wave the nodes check all open sessions and payouts. */
const MOVES_TO_ONE_AT_ONCE = 40
/** The variation of a wave's size. */
const SPREAD = 0.5
const OUTSIDE_BATCH = 200

/** Runs waves until there are `target` fundings and payouts. */
export async function runMoves(world: MoneyWorld, target: number): Promise<void> {
  const atOnce = Math.max(LEAST_AT_ONCE, target / MOVES_TO_ONE_AT_ONCE)
  while ((await countMoves(world)) < target) {
    await runWave(world, atOnce)
    await moveClock(world)
  }
}

/** Fundings and payouts so far, settlements included. */
export async function countMoves({ outside }: MoneyWorld): Promise<number> {
  const [row] = await outside.query<{ count: number }>(
    `select ((select count(*) from fundings) + (select count(*) from payouts))::int4 as count`,
    [],
  )
  return row?.count ?? 0
}

/** Many concurrent steps on both nodes; a node may crash during them, or its leases may expire. */
async function runWave(world: MoneyWorld, atOnce: number): Promise<void> {
  const { random } = world
  const dying = random.chance(0.25) ? random.below(world.nodes.length) : null
  if (dying !== null) world.nodes[dying]?.life.endAfter(random.between(1, 60))
  const count = random.between(Math.round(atOnce * (1 - SPREAD)), Math.round(atOnce * (1 + SPREAD)))
  const steps = Array.from({ length: count }, () =>
    DO[random.weighted(STEPS)](world, random.pick(world.nodes)),
  )
  const jobs = world.nodes.filter(() => random.chance(0.7)).map(node => node.jobs.runDue())
  await Promise.all([...steps, ...jobs, runOutside(world), passTimeMeanwhile(world)])
  if (dying !== null) {
    world.tally.met(world.nodes[dying]?.life.isOver() ? 'node: died at work' : 'node: died between two steps')
    await replaceNode(world, dying)
  }
}

/** External events: payers decide, webhooks and delayed requests arrive. Returns their number. */
export async function runOutside(world: MoneyWorld): Promise<number> {
  const { random, clock, gateway, provider, webhooks, connectionState } = world
  const late = connectionState.late.splice(0)
  connectionState.late.push(...late.filter(() => random.chance(0.5)))
  const arriving = late.filter(act => !connectionState.late.includes(act))
  const works = await Promise.all([
    gateway.simulation.resolvePayments(clock.now(), OUTSIDE_BATCH),
    gateway.simulation.sendWebhooks(clock.now(), OUTSIDE_BATCH),
    provider.simulation.sendWebhooks(clock.now(), OUTSIDE_BATCH),
    webhooks.deliverDelayed(0.4),
    ...arriving.map(act => act()),
  ])
  return works.slice(0, 3).reduce<number>((sum, count) => sum + Number(count), late.length)
}

/** Advances the clock by more than any lease, so that the other node takes over a slow node's work. */
async function passTimeMeanwhile({ random, clock, tally }: MoneyWorld): Promise<void> {
  if (!random.chance(0.12)) return
  for (let turn = random.between(5, 200); turn > 0; turn--) await nextTurn()
  tally.met('clock: leases ran out at work')
  clock.advance(150_000)
}

const MOVES = { seconds: 40, minutes: 26, hours: 14, end: 12, settlement: 8 } as const

async function moveClock(world: MoneyWorld): Promise<void> {
  const { random, clock, tally } = world
  const move = random.weighted(MOVES)
  tally.met(`clock: ${move}`)
  switch (move) {
    case 'seconds':
      return clock.advance(random.between(1, 40_000))
    case 'minutes':
      return clock.advance(random.between(60_000, 720_000))
    case 'hours':
      return clock.advance(random.between(HOUR_MS / 2, 5 * HOUR_MS))
    case 'settlement':
      return goToSettlement(world)
    case 'end':
      return goToAnEnd(world)
  }
}

/** To the next moment at which a settlement run is due. */
export function goToSettlement({ clock }: Pick<MoneyWorld, 'clock'>): void {
  const calendar = calendarOf([])
  const today = istDay(clock.now())
  const morning = istTime(today, 10)
  const isToday = calendar.isBusinessDay(today) && clock.now() < morning
  clock.set(isToday ? morning : istTime(addBusinessDays(calendar, today, 1), 10))
}

/** To about the end of a session, which is paid at that moment. */
async function goToAnEnd(world: MoneyWorld): Promise<void> {
  const { random, clock } = world
  const now = clock.now().getTime()
  const open = world.sessions.slice(-200).filter(({ funding }) => funding.expiresAt.getTime() > now + 1)
  const ending = open.at(random.below(Math.max(1, open.length)))
  if (ending === undefined) return clock.advance(DAY_MS / 24)
  await payAtTheEnd(world, ending, random.between(-1, 1))
}
