import { readdirSync, readFileSync } from 'node:fs'

/** The processes under measurement. */
export interface Processes {
  readonly service: number
  readonly postmaster: number
}

/** Linux counts CPU time for programs in hundredths of a second, whatever the kernel's own tick. */
const TICKS_PER_SECOND = 100
const KIB = 1024

// Fields of /proc/<pid>/stat after the command's name, which may contain spaces and brackets.
const PARENT = 1
const USER_TICKS = 11
const SYSTEM_TICKS = 12
const REAPED_USER_TICKS = 13
const REAPED_SYSTEM_TICKS = 14

/** CPU seconds that all threads of one process have used. */
export function processCpuSeconds(pid: number): number {
  const fields = statOf(pid)
  return (field(fields, USER_TICKS) + field(fields, SYSTEM_TICKS)) / TICKS_PER_SECOND
}

/** CPU seconds that children of a process had used when they ended. */
export function endedChildrenCpuSeconds(pid: number): number {
  const fields = statOf(pid)
  return (field(fields, REAPED_USER_TICKS) + field(fields, REAPED_SYSTEM_TICKS)) / TICKS_PER_SECOND
}

/** CPU seconds of a process and its children, including those that have ended. */
export function familyCpuSeconds(pid: number): number {
  const living = [pid, ...childrenOf(pid)].reduce((seconds, id) => seconds + processCpuSeconds(id), 0)
  return living + endedChildrenCpuSeconds(pid)
}

/** CPU seconds that the machine has used, and those that its host gave to other machines. */
export function machineCpuSeconds(): { readonly busy: number; readonly stolen: number } {
  const [line = ''] = readText('/proc/stat').split('\n')
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  const busy = user + nice + system + irq + softIrq
  return { busy: busy / TICKS_PER_SECOND, stolen: stolen / TICKS_PER_SECOND }
}

/** Physical memory of the service and of PostgreSQL in bytes; null if the system does not report it. */
export function readMemory({ service, postmaster }: Processes): { service: number; postgres: number } | null {
  if (!hasProc()) return null
  return { service: residentBytes(service), postgres: familyMemoryBytes(postmaster) }
}

/** Physical memory of one process in bytes, shared pages included. */
export function residentBytes(pid: number): number {
  return kibOf(readText(`/proc/${pid}/status`), 'VmRSS') * KIB
}

/** Physical memory of a process and its children in bytes; a page that several share counts once. */
function familyMemoryBytes(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce(
    (bytes, id) => bytes + kibOf(readText(`/proc/${id}/smaps_rollup`), 'Pss') * KIB,
    0,
  )
}

/** Whether this system shows its processes as Linux does. */
export function hasProc(): boolean {
  return readText('/proc/self/stat') !== ''
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(id => field(statOf(id), PARENT) === pid)
}

function statOf(pid: number): readonly string[] {
  const text = readText(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function field(fields: readonly string[], index: number): number {
  return Number(fields[index] ?? 0)
}

function kibOf(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
}

/** A process may end between being listed and being read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
