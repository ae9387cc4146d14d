import { DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import { goToSettlement, runOutside } from './run-moves.ts'
import { type MoneyWorld, replaceNode } from './world.ts'

/** Rounds enough for the last fundings and for money that was held and returned. */
const SETTLEMENTS = 6
const MINUTE_MS = 60_000
/** The interval of the last checks of ended sessions. */
const PAUSES_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, DAY_MS, 2 * DAY_MS, 4 * DAY_MS, 8 * DAY_MS]
const MAX_ROUNDS = 5

/** Ends all faults and advances the clock until nothing is due. */
export async function finishEverything(world: MoneyWorld): Promise<void> {
  const { clock, connectionState } = world
  connectionState.isReliable = true
  await quieten(world)
  for (let run = 0; run < SETTLEMENTS; run++) {
    clock.advance(10 * MINUTE_MS)
    await quieten(world)
    goToSettlement(world)
    await quieten(world)
  }
  // No more settlements, or payouts that the bank returns would be paid out again and again.
  world.settlement = 'off'
  for (const index of world.nodes.keys()) await replaceNode(world, index)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (const pauseMs of PAUSES_MS) {
      clock.advance(pauseMs)
      await quieten(world)
      if ((await countWaiting(world)) === 0) return
    }
  }
  throw new Error(`work is still due: ${await countWaiting(world)}`)
}

/** Runs everything that is due now. */
async function quieten(world: MoneyWorld): Promise<void> {
  for (;;) {
    const happened = await runOutside(world)
    await Promise.all(world.nodes.map(node => node.jobs.runDue()))
    if (happened === 0 && world.webhooks.held() === 0) return
  }
}

const WAITING = `
  select ((select count(*) from fundings where next_check_at is not null)
    + (select count(*) from gateway_refunds where next_attempt_at is not null)
    + (select count(*) from payouts where next_check_at is not null)
    + (select count(*) from escrows where next_try_at is not null)
    + (select count(*) from kyc_checks)
    + (select count(*) from sandbox_notices)
    + (select count(*) from sandbox_payments where resolves_at is not null))::int4 as count`

async function countWaiting({ outside }: MoneyWorld): Promise<number> {
  const [row] = await outside.query<{ count: number }>(WAITING, [])
  return row?.count ?? 0
}
