import { writeFileSync } from 'node:fs'
import { openApi } from './api.ts'
import { measureAudit } from './audit.ts'
import { type Cleanup, cleanup } from './cleanup.ts'
import { measureHistory, renderHistory } from './history.ts'
import { describeMachine } from './machine.ts'
import { measureAll } from './measure.ts'
import { measureMisbehaving } from './misbehaving.ts'
import { renderMisbehaving } from './misbehaving-report.ts'
import { createNetwork, type Network } from './network.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { measurePackage, renderPackage } from './package-size.ts'
import { measurePayPerCall } from './pay-per-call.ts'
import { readMemory } from './proc.ts'
import { measureReads } from './reads.ts'
import { type Results, renderReport } from './report.ts'
import { measureSetAside } from './set-aside.ts'
import { measureSettlement } from './settlement.ts'
import { type Stage, setStage } from './stage.ts'
import { growth, readStorage } from './storage.ts'
import { measureStreams, renderStreams } from './streams.ts'
import { findPgbench, prepareTpcb, type Tpcb } from './tpcb.ts'
import { measureTwoNodes } from './two-nodes.ts'
import { verify } from './verify.ts'
import { measureVouchers, renderVouchers } from './vouchers.ts'
import { measureWebhooks } from './webhooks.ts'
import { measureWindows } from './windows.ts'
import { measureWorkers } from './workers.ts'

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

async function run(args: readonly string[], options: Options, undo: Cleanup): Promise<Results> {
  const stage = await setStage(options, undo, say)
  const { address, db, generator, processes } = stage
  const api = openApi(address)
  const network = await createNetwork(api, options.agents)
  say(setUpOf(network))
  await generator.introduce({ port: Number(new URL(address).port), groups: network.groups })
  const tpcb = options.withTpcb ? await openTpcb(stage) : null
  // What the set-up wrote is flushed now and not during a measurement.
  await db.query('checkpoint')

  const machine = await describeMachine(stage.dataDir, db)
  const before = await readStorage(db)
  const measurements = await measureAll({ options, address, processes, generator, db, tpcb, say })
  const after = await readStorage(db)
  const reads = options.withReads ? await measureReads(stage, network, options, say) : null
  const twoNodes = options.withTwoNodes ? await measureTwoNodes(stage, network, options, { undo, say }) : null
  const workers = options.withWorkers ? await measureWorkers(stage, network, options, { undo, say }) : null
  const memory = readMemory(processes)
  const payPerCall = options.withPayPerCall
    ? await measurePayPerCall(address, network.groups.open, { rounds: options.rounds, undo, say })
    : null
  const windows = options.withWindows ? await measureWindows(stage.server, db, say) : null
  const settlement = options.withSettlement ? await measureSettlement(stage.server, db, say) : null
  const setAside = options.withSetAside ? await measureSetAside(stage.server, db, options, say) : null
  const audit = options.withAudit ? await measureAudit(stage.server, db, say) : null
  const misbehaving = options.withMisbehaving ? await measureMisbehaving(options, undo, say) : null
  const streams = options.withStreams ? await measureStreams(options, undo, say) : null
  const vouchers = options.withVouchers ? await measureVouchers(options, undo, say) : null
  const webhooks = options.webhookParts.length > 0 ? await measureWebhooks(options, undo, say) : null
  say('comparing the ledger with the responses')
  return {
    options,
    command: ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
    finishedAt: new Date(),
    machine,
    setUp: setUpOf(network),
    tpcb: tpcb === null ? 'not measured' : `${tpcb.version}, ${tpcb.settings}`,
    measurements,
    growth: growth(before, after),
    memory,
    reads,
    twoNodes,
    workers,
    windows,
    settlement,
    setAside,
    audit,
    webhooks,
    payPerCall,
    misbehaving,
    streams,
    vouchers,
    packageSize: await measurePackage(),
    findings: [
      ...(await verify(
        api,
        db,
        network,
        measurements.paid +
          (reads?.paid ?? 0) +
          (twoNodes?.paid ?? 0) +
          (workers?.paid ?? 0) +
          (payPerCall?.payments ?? 0),
      )),
      ...(webhooks?.findings ?? []),
    ],
  }
}

function setUpOf({ payers, seconds }: Network): string {
  return `${payers.length} agents created in ${seconds.agents.toFixed(1)} s and paid their opening balance in ${seconds.openings.toFixed(1)} s`
}

async function openTpcb({ server, db }: Stage): Promise<Tpcb | null> {
  const program = findPgbench(process.env['PATH'] ?? '')
  if (program !== null) {
    say(`filling the database of ${program}`)
    return prepareTpcb(program, server, db)
  }
  say('pgbench is missing, so there is nothing to compare with (on Debian: apt-get install postgresql)')
  return null
}

/** Runs one measurement by itself, without the network of the others. */
async function runAlone(
  what: NonNullable<Options['alone']>,
  options: Options,
  undo: Cleanup,
): Promise<number> {
  try {
    process.stdout.write(`\n${await reportAlone(what, options, undo)}\n`)
    return 0
  } finally {
    await undo.run()
  }
}

async function reportAlone(
  what: NonNullable<Options['alone']>,
  options: Options,
  undo: Cleanup,
): Promise<string> {
  switch (what) {
    case 'misbehaving':
      return `## Misbehaving platforms\n\n${renderMisbehaving(await measureMisbehaving(options, undo, say))}`
    case 'streams':
      return `## Open streams\n\n${renderStreams(await measureStreams(options, undo, say))}`
    case 'package':
      return `## The sdk\n\n${renderPackage(await measurePackage())}`
    case 'history':
      return `## A long history\n\n${renderHistory(await measureHistory(options, undo, say))}`
    case 'vouchers':
      return `## Vouchers\n\n${renderVouchers(await measureVouchers(options, undo, say))}`
  }
}

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options === 'help') {
    process.stdout.write(USAGE)
    return 0
  }
  const undo = cleanup()
  if (options.alone !== null) return runAlone(options.alone, options, undo)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void undo.run().finally(() => process.exit(1)))
  }
  try {
    const results = await run(args, options, undo)
    const report = renderReport(results)
    process.stdout.write(`\n${report}`)
    if (options.writePath !== null) writeFileSync(options.writePath, report)
    return results.findings.every(finding => finding.holds) ? 0 : 1
  } finally {
    await undo.run()
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
