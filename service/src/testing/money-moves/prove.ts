import { expect } from 'vitest'
import { gatewaysOf } from '../../domains/banking/funding/context.ts'
import { reconcile } from '../../domains/checks/reconciliation/reconcile.ts'
import { listOpenDifferences } from '../../domains/checks/reconciliation/report.ts'
import { upTo } from '../../domains/checks/reconciliation/schedule.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import { silentLogger } from '../../kernel/logger.ts'
import { finishEverything } from './finish-everything.ts'
import { countEnds, readDifferences } from './reading/read-differences.ts'
import { runMoves } from './run-moves.ts'
import { tallyText } from './tally.ts'
import type { MoneyWorld } from './world.ts'

/** Runs `moves` fundings and payouts, waits until nothing is due, and compares the service's records with the banks'. */
export async function proveMoves(world: MoneyWorld, moves: number, met: readonly string[]): Promise<string> {
  await runUntilMet(world, moves, met)
  await finishEverything(world)
  expect(await readDifferences(world)).toEqual([])
  expect(await compare(world)).toEqual([])
  expect(offencesOf(world)).toEqual([])
  await countEnds(world)
  expect(world.tally.missing(met)).toEqual([])
  return tallyText(world.tally)
}

const MAX_EXTENSIONS = 4

/** Runs `moves` fundings and payouts, and more while a counter is zero, because a short run may miss a rare end. */
async function runUntilMet(world: MoneyWorld, moves: number, met: readonly string[]): Promise<void> {
  for (let extension = 0; extension <= MAX_EXTENSIONS; extension++) {
    await runMoves(world, Math.ceil(moves * (1 + extension / 4)))
    await countEnds(world)
    if (world.tally.missing(met).length === 0) return
  }
}

/** The differences that the service's reconciliation finds over the whole run. */
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

/** Violations that must never occur. */
function offencesOf({ offences, webhooks, requestLog, log, broken }: MoneyWorld): unknown[] {
  return [...offences, ...webhooks.offences, ...requestLog.offences, ...log.offences, ...broken]
}
