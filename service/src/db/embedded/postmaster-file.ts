import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../logger.ts'

const POLL_MS = 20
const FAST_STOP_MS = 15_000
const HARD_STOP_MS = 10_000

/** Whether the server of this process id has opened the folder and takes connections. */
export function isServing(dataFolder: string, pid: number): boolean {
  const lines = readPostmasterFile(dataFolder)
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready'
}

/** Where the server that runs on a data folder takes connections; null when none does. */
export function runningServer(dataFolder: string): { readonly socketFolder: string } | null {
  const lines = readPostmasterFile(dataFolder)
  const pid = Number(lines[0])
  const [folder = '', socketFolder = ''] = [lines[1], lines[4]]
  if (!Number.isSafeInteger(pid) || pid <= 1) return null
  return isServerOf(pid, folder) && isServing(dataFolder, pid) ? { socketFolder } : null
}

/**
 * Clears the way for a new server. The service may have been killed and have left its server running: it is stopped,
 * because one that is not our child could not be watched.
 */
export async function stopOrphan(dataFolder: string, logger: Logger): Promise<void> {
  const lines = readPostmasterFile(dataFolder)
  const pid = Number(lines[0])
  if (!Number.isSafeInteger(pid) || pid <= 1) return
  if (isServerOf(pid, dataFolder)) {
    logger.warn({ pid }, 'stopping the PostgreSQL of a service that was killed')
    if (!(await stopped(pid, dataFolder)))
      throw new Error(`PostgreSQL (process ${pid}) does not stop; stop it and start again.`)
    return
  }
  disown(dataFolder, lines)
}

async function stopped(pid: number, dataFolder: string): Promise<boolean> {
  for (const [signal, patienceMs] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', HARD_STOP_MS],
  ] as const) {
    signalIfAlive(pid, signal)
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += POLL_MS) {
      if (!isServerOf(pid, dataFolder)) return true
      await delay(POLL_MS)
    }
  }
  return false
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

// After a restart of the machine or the container, the id in the file may belong to any program, and PostgreSQL
// would refuse to start beside it. A server ignores its parent's id there, so ours goes in its place: removing the
// file would also remove what lets PostgreSQL see workers that outlived a killed server.
function disown(dataFolder: string, lines: readonly string[]): void {
  writeFileSync(join(dataFolder, 'postmaster.pid'), [String(process.pid), ...lines.slice(1)].join('\n'))
  const socketFolder = lines[4]
  const port = lines[3]
  if (socketFolder && port) rmSync(join(socketFolder, `.s.PGSQL.${port}.lock`), { force: true })
}

function readPostmasterFile(dataFolder: string): string[] {
  try {
    return readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return []
  }
}

function isServerOf(pid: number, dataFolder: string): boolean {
  return commandLine(pid).includes(` -D ${dataFolder} `)
}

function commandLine(pid: number): string {
  try {
    if (existsSync('/proc/self/cmdline'))
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
