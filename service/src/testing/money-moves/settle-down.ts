import { DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import { goToSettlement, playOutside } from './play-moves.ts'
import { type MoneyWorld, replaceNode } from './world.ts'

/** Enough for all that came in last, and for what was set aside before that and has come back. */
const SETTLEMENTS = 6
const MINUTE_MS = 60_000
/** As far apart as the last looks at what has ended. */
const PAUSES_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, DAY_MS, 2 * DAY_MS, 4 * DAY_MS, 8 * DAY_MS]
const MAX_ROUNDS = 5

/** The lines are mended, and time goes on until nothing is due any more. */
export async function settleDown(world: MoneyWorld): Promise<void> {
  const { clock, weather } = world
  weather.calm = true
  await quieten(world)
  for (let run = 0; run < SETTLEMENTS; run++) {
    clock.advance(10 * MINUTE_MS)
    await quieten(world)
    goToSettlement(world)
    await quieten(world)
  }
  // From now on no wallet is paid out any more, so that payouts which the bank sends back come to an end.
  world.settlement = 'off'
  for (const index of world.nodes.keys()) await replaceNode(world, index)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (const pauseMs of PAUSES_MS) {
      clock.advance(pauseMs)
      await quieten(world)
      if ((await countWaiting(world)) === 0) return
    }
  }
  throw new Error(`There is still something due: ${await countWaiting(world)}`)
}

/** Does all that is due at this moment. */
async function quieten(world: MoneyWorld): Promise<void> {
  for (;;) {
    const happened = await playOutside(world)
    await Promise.all(world.nodes.map(node => node.jobs.runDue()))
    if (happened === 0 && world.notices.held() === 0) return
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
