import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { type Cluster, identity, serverEnvironment } from './cluster.ts'
import { isServing } from './postmaster-file.ts'
import { type ServerOptions, serverSettings } from './settings.ts'

const POLL_MS = 15
const REMEMBERED_LINES = 20

/** One run of the server's program. */
export interface Server {
  readonly pid: number | undefined
  /** Resolves when it takes connections, after whatever recovery it needs; rejects when it ends before. */
  readonly ready: Promise<void>
  /** Resolves with the way it ended. */
  readonly ended: Promise<string>
  lastLines(): string[]
  signal(signal: NodeJS.Signals): void
}

export function startServer(cluster: Cluster, options: ServerOptions): Server {
  // A process group of its own: Ctrl-C must reach the service only, which stops the database last.
  const child = spawn(
    cluster.binaries.postgres,
    ['-D', cluster.dataFolder, ...serverSettings(cluster.socketFolder, options)],
    {
      ...identity(cluster.account),
      cwd: cluster.dataFolder,
      env: serverEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    },
  )
  const lines = rememberLines(child)
  const ended = new Promise<string>(resolve => {
    child.once('error', error => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  const ready = whenServing(cluster.dataFolder, child, ended).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`PostgreSQL did not start (${reason}): ${lines.join(' | ')}`)
  })
  return {
    pid: child.pid,
    ready,
    ended,
    lastLines: () => [...lines],
    signal: signal => void child.kill(signal),
  }
}

function rememberLines(child: ChildProcess): string[] {
  const lines: string[] = []
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', line => {
      lines.push(line)
      if (lines.length > REMEMBERED_LINES) lines.shift()
    })
  }
  return lines
}

async function whenServing(dataFolder: string, child: ChildProcess, ended: Promise<string>): Promise<void> {
  let end: string | undefined
  void ended.then(how => (end = how))
  while (child.pid === undefined || !isServing(dataFolder, child.pid)) {
    await delay(POLL_MS)
    if (end !== undefined) throw new Error(end)
  }
}
