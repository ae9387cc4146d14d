import { familyCpuSeconds, hasProc, machineCpuSeconds, type Processes, processCpuSeconds } from './proc.ts'

/** CPU seconds used between two moments; null if the system does not report them. */
export interface Usage {
  readonly service: number
  readonly postgres: number
  readonly machine: number
  readonly stolen: number
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
