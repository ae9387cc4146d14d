import { expect } from 'vitest'
import { gatewaysOf } from '../../domains/banking/funding/context.ts'
import { upTo } from '../../domains/checks/reconciliation/daily-run.ts'
import { listOpenDifferences, reconcile } from '../../domains/checks/reconciliation/reconcile.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import { silentLogger } from '../../kernel/logger.ts'
import { playMoves } from './play-moves.ts'
import { countEnds, readDifferences } from './reading/read-differences.ts'
import { settleDown } from './settle-down.ts'
import { tallyText } from './tally.ts'
import type { MoneyWorld } from './world.ts'

/** Plays so many fundings and payouts, lets everything come to its end, and proves that all of it is right. */
export async function proveMoves(world: MoneyWorld, moves: number, met: readonly string[]): Promise<string> {
  await playMoves(world, moves)
  await settleDown(world)
  expect(await readDifferences(world)).toEqual([])
  expect(await compare(world)).toEqual([])
  expect(offencesOf(world)).toEqual([])
  await countEnds(world)
  expect(world.tally.missing(met)).toEqual([])
  return tallyText(world.tally)
}

/** What the service's own comparison finds, over all that happened. */
export async function compare(world: MoneyWorld): Promise<string[]> {
  const { outside: database, clock, gateway, provider, startedAt } = world
  const context = {
    ...{ database, clock, logger: silentLogger(), gateways: gatewaysOf(gateway), payoutProvider: provider },
    pausesMs: [],
  }
  const from = new Date(startedAt.getTime() - DAY_MS)
  const { differences, unchecked } = await reconcile(context, { from, to: upTo(clock.now()) })
  const found: string[] = []
  for await (const { subject, kind, ours, theirs } of listOpenDifferences(database)) {
    found.push(`${subject} ${kind}: ${ours}, ${theirs}`)
  }
  expect(found).toHaveLength(differences + unchecked)
  return found
}

/** What never happens, however the day goes. */
function offencesOf({ offences, notices, diary, log, broken }: MoneyWorld): unknown[] {
  return [...offences, ...notices.offences, ...diary.offences, ...log.offences, ...broken]
}
