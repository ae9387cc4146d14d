import type { LoadGenerator } from './load-generator.ts'
import type { LoadReport } from './messages.ts'
import { familyCpuSeconds, hasProc, machineCpuSeconds, type Processes, processCpuSeconds } from './proc.ts'

/** CPU seconds used between two moments; null if the system does not report them. */
export interface Usage {
  readonly service: number
  readonly postgres: number
  readonly machine: number
  readonly stolen: number
}

type Order = Parameters<LoadGenerator['run']>[0]

/** Runs one order, and measures the CPU time within its counting window; `window` is called at its start and end. */
export async function runMetered(
  { generator, processes }: { readonly generator: LoadGenerator; readonly processes: Processes },
  order: Order,
  window: { onBegan?(): void; onEnded?(): void } = {},
): Promise<LoadReport & { readonly usage: Usage | null }> {
  let stopMeter: (() => Usage | null) | undefined
  let usage: Usage | null = null
  const report = await generator.run(order, {
    onBegan() {
      stopMeter = meterUsage(processes)
      window.onBegan?.()
    },
    onEnded() {
      usage = stopMeter?.() ?? null
      window.onEnded?.()
    },
  })
  return { ...report, usage }
}

/** Starts a measurement of CPU time; the function that it returns ends it. */
export function meterUsage(processes: Processes): () => Usage | null {
  if (!hasProc()) return () => null
  const before = read(processes)
  return () => {
    const after = read(processes)
    return {
      service: after.service - before.service,
      postgres: after.postgres - before.postgres,
      machine: after.machine - before.machine,
      stolen: after.stolen - before.stolen,
    }
  }
}

function read({ service, postmaster }: Processes): Usage {
  const { busy, stolen } = machineCpuSeconds()
  return {
    service: processCpuSeconds(service),
    postgres: familyCpuSeconds(postmaster),
    machine: busy,
    stolen,
  }
}
