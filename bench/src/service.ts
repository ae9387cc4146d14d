import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The service under measurement, started but not yet ready. */
export interface Service {
  readonly pid: number
  /** Resolves with its address when it accepts requests. */
  readonly ready: Promise<string>
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<void>
}

/** The settings that differ from the defaults. */
export const SERVICE_SETTINGS = {
  PORT: '0',
  RATE_LIMIT_AGENT: '0',
  RATE_LIMIT_PLATFORM: '0',
  RATE_LIMIT_UNAUTHENTICATED: '0',
  RATE_LIMIT_PAGES: '0',
  MAX_IN_FLIGHT: '0',
  LOG_LEVEL: 'warn',
} as const

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MAIN = fileURLToPath(new URL('../../service/src/main.ts', import.meta.url))
const READY_WITHIN_MS = 60_000
const STOPPED_WITHIN_MS = 60_000
const SHOWN_CHARACTERS = 4_000
const ADDRESS = /http:\/\/localhost:(\d+)\/v1/

/** Starts the service with its own embedded PostgreSQL and without this process's environment. */
export function startService(
  dataDir: string,
  profileFolder: string | null,
  settings: Readonly<Record<string, string>> = SERVICE_SETTINGS,
): Service {
  const profiling =
    profileFolder === null ? [] : ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${profileFolder}`]
  const child = spawn(process.execPath, ['--conditions=@batua/source', ...profiling, MAIN], {
    cwd: ROOT,
    env: { ...settings, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  return {
    pid: child.pid ?? 0,
    ready: addressOf(child),
    async stop() {
      child.kill('SIGTERM')
      const hung = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS)
      await ended
      clearTimeout(hung)
    },
  }
}

/** The service prints its address when it is ready. Its later output is copied to stderr. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    let address: string | undefined
    const tooLate = setTimeout(() => fail('was not ready in time'), READY_WITHIN_MS)
    const fail = (how: string) => {
      clearTimeout(tooLate)
      reject(new Error(`the service ${how}:\n${output.slice(-SHOWN_CHARACTERS)}`))
    }
    const read = (text: string) => {
      if (address !== undefined) {
        process.stderr.write(text)
        return
      }
      output += text
      const port = ADDRESS.exec(output)?.[1]
      address = port === undefined ? undefined : `http://127.0.0.1:${port}`
      if (address === undefined) return
      clearTimeout(tooLate)
      resolve(address)
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', read)
    child.once('error', error => fail(`did not start: ${error.message}`))
    child.once('exit', code => fail(`ended with ${code}`))
  })
}
