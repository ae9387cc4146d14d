import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'

/** The service as users run it: one process at a time, with one address and one set of data. */
export interface Service {
  readonly address: string
  readonly port: number
  pid(): number
  /** Its output on stdout and stderr, of all its runs. */
  output(): string
  /** Starts it again on the same data; resolves when it is ready. */
  start(): Promise<void>
  /** Sends SIGTERM and waits for the end; returns the exit code. */
  stop(): Promise<number | null>
  /** Waits until it ends by itself; returns the exit code. */
  ended(): Promise<number | null>
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>
}

export type Env = Readonly<Record<string, string>>

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Compiled code of earlier runs: without it much of the tests' time is spent compiling the same modules. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/e2e-compiled', import.meta.url))
/** As `npm start` runs it. */
const NODE_OPTIONS = ['--conditions=@batua/source', '--max-semi-space-size=64']
const READY_WITHIN_MS = 90_000
const POLL_MS = 20

export const MASTER_KEY = Buffer.alloc(32, 'e2e').toString('base64')

/** The defaults of tests: a key of their own, no rate limits, an immediate stop, only important log lines. */
const DEFAULTS: Env = {
  MASTER_KEY,
  RATE_LIMIT_AGENT: '0',
  RATE_LIMIT_PLATFORM: '0',
  RATE_LIMIT_UNAUTHENTICATED: '0',
  RATE_LIMIT_PAGES: '0',
  MAX_IN_FLIGHT: '0',
  DRAIN_MS: '0',
  LOG_LEVEL: 'warn',
}

/** Starts a service of a tree with this configuration and nothing of the tests' own environment. */
export async function startService(env: Env, root = ROOT): Promise<Service> {
  const port = Number(env['PORT'] ?? (await freePort()))
  const address = `http://127.0.0.1:${port}`
  const fullEnv = { ...DEFAULTS, ...env, PORT: String(port) }
  let output = ''
  let child = run()

  function run(): Run {
    return runService(root, fullEnv, text => {
      output += text
    })
  }
  const service: Service = {
    address,
    port,
    pid: () => child.pid(),
    output: () => output,
    async start() {
      child = run()
      await whenReady(address, child, () => output)
    },
    stop: () => child.end('SIGTERM'),
    ended: () => child.ended,
    kill: async () => {
      await child.end('SIGKILL')
    },
  }
  await whenReady(address, child, () => output)
  return service
}

/** Runs the service to its end, for configurations that it refuses. */
export async function runToEnd(env: Env): Promise<{ readonly code: number | null; readonly output: string }> {
  let output = ''
  const child = runService(ROOT, env, text => {
    output += text
  })
  const code = await child.ended
  return { code, output }
}

/** Starts the service and stops it as soon as some output appears, whether it is ready or not. */
export async function interruptStart(
  env: Env,
  isSeen: () => boolean,
): Promise<{ readonly code: number | null }> {
  const child = runService(ROOT, env, () => undefined)
  while (!isSeen() && !child.isOver()) await delay(POLL_MS)
  return { code: await child.end('SIGTERM') }
}

interface Run {
  /** Resolves with the exit code once the process has ended and its output is complete. */
  readonly ended: Promise<number | null>
  isOver(): boolean
  pid(): number
  end(signal: NodeJS.Signals): Promise<number | null>
}

function runService(root: string, env: Env, onOutput: (text: string) => void): Run {
  const child: ChildProcess = spawn(process.execPath, [...NODE_OPTIONS, join(root, 'service/src/main.ts')], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onOutput)
  // A test that timed out has nobody who stops its service.
  const endWithTests = () => child.kill('SIGKILL')
  process.once('exit', endWithTests)
  let over = false
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => {
      over = true
    })
    // An embedded database that survives a killed service does not have these pipes, so they close with the service.
    child.once('close', code => {
      process.off('exit', endWithTests)
      resolve(code)
    })
  })
  return {
    ended,
    isOver: () => over,
    pid: () => child.pid ?? 0,
    end(signal) {
      if (!over) child.kill(signal)
      return ended
    },
  }
}

async function whenReady(address: string, child: Run, output: () => string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (!(await isReady(address))) {
    if (child.isOver()) throw new Error(`the service ended before it was ready:\n${output()}`)
    if (Date.now() > deadline) throw new Error(`the service is not ready in time:\n${output()}`)
    await delay(POLL_MS)
  }
}

export async function isReady(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(2_000) })
    await response.text()
    return response.status === 200
  } catch {
    return false
  }
}
