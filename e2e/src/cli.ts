import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { interrupted } from '../../cli/src/failure.ts'
import { main } from '../../cli/src/main.ts'
import type { Ended } from './commands.ts'
import type { Platform } from './network.ts'
import type { Env } from './service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The command as it is published. */
export const BATUA = join(ROOT, 'cli/dist/batua.js')

/** Builds it, for terminals. */
export async function buildCli(): Promise<void> {
  await promisify(execFile)(process.execPath, ['cli/build.ts'], { cwd: ROOT })
}

export interface CliOptions {
  readonly env?: Env
  /** Standard input; absent: it is empty. */
  readonly input?: string
}

/** A command that runs. */
export interface RunningCli {
  stdout(): string
  stderr(): string
  /** As Ctrl-C. */
  interrupt(): void
  readonly ended: Promise<Ended>
  /** Resolves when the output so far fits. */
  until(fits: (running: RunningCli) => boolean): Promise<void>
}

/** The command with profiles of its own. */
export interface Cli {
  /** The folder of its profiles. */
  readonly folder: string
  /** Runs it to its end in this process, with pipes. */
  run(args: readonly string[], options?: CliOptions): Promise<Ended>
  start(args: readonly string[], options?: CliOptions): RunningCli
  /** Runs the built command to its end in a process of its own, with pipes. */
  spawned(args: readonly string[], options?: CliOptions): Promise<Ended>
  startSpawned(args: readonly string[], options?: CliOptions): RunningCli
  /**
   * Runs the built command on a terminal, on which `typed` is typed as soon as it asks; standard error is part of the
   * output.
   */
  onTerminal(args: readonly string[], options?: CliOptions & { readonly typed?: string }): Promise<Ended>
  startOnTerminal(args: readonly string[], options?: CliOptions): RunningCli
  remove(): void
}

export function openCli(): Cli {
  const home = mkdtempSync(join(tmpdir(), 'batua-cli-'))
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    TERM: 'xterm',
  }
  const start = (args: readonly string[], { env: more = {}, input = '' }: CliOptions = {}) =>
    runningHere(args, { ...env, ...more }, input)
  const spawned = (program: string, args: readonly string[], { env: more = {} }: CliOptions) =>
    spawn(program, [...args], { cwd: home, env: { ...env, ...more } })
  const startOnTerminal = (args: readonly string[], options: CliOptions = {}) => {
    const command = [process.execPath, BATUA, ...args].map(quoted).join(' ')
    const child = spawned('script', ['-qefc', `stty cols 200; exec ${command}`, '/dev/null'], options)
    return { child, run: runningThere(child, () => child.stdin?.write('\u0003')) }
  }
  const startSpawned = (args: readonly string[], options: CliOptions = {}) => {
    const child = spawned(process.execPath, [BATUA, ...args], options)
    child.stdin?.end(options.input ?? '')
    return runningThere(child, () => child.kill('SIGINT'))
  }
  return {
    folder: join(home, 'config', 'batua'),
    run: (args, options) => start(args, options).ended,
    start,
    spawned: (args, options) => startSpawned(args, options).ended,
    startSpawned,
    startOnTerminal: (args, options) => startOnTerminal(args, options).run,
    async onTerminal(args, { typed, ...options } = {}) {
      const { child, run } = startOnTerminal(args, options)
      if (typed !== undefined) {
        await run.until(({ stdout }) => stdout().includes(': '))
        child.stdin?.write(typed)
      }
      return run.ended
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

function runningHere(args: readonly string[], env: Env, input: string): RunningCli {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const stop = new AbortController()
  const stdin = Readable.from([input])
  const code = main({ args, env, stdin, stdout, stderr, signal: stop.signal })
  const ended = code.finally(() => {
    stdout.end()
    stderr.end()
  })
  return watched({ stdout, stderr }, ended, () => stop.abort(interrupted()))
}

function runningThere(child: ChildProcess, interrupt: () => void): RunningCli {
  // A command that ends without reading breaks the pipe.
  child.stdin?.on('error', () => undefined)
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve(code ?? -1))
  })
  return watched(child, ended, interrupt)
}

interface Outputs {
  readonly stdout: Readable | null
  readonly stderr: Readable | null
}

function watched(outputs: Outputs, code: Promise<number>, interrupt: () => void): RunningCli {
  const text = { stdout: '', stderr: '' }
  const waiting = new Set<() => void>()
  const read = (['stdout', 'stderr'] as const).map(async name => {
    for await (const chunk of outputs[name]?.setEncoding('utf8') ?? []) {
      text[name] += String(chunk)
      for (const look of waiting) look()
    }
  })
  const ended = Promise.all([code, ...read]).then(([exit]) => ({ code: exit, ...text }))
  const run: RunningCli = {
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    interrupt,
    ended,
    until: fits =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!fits(run)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
        void ended.then(() => reject(new Error(`it ended: ${text.stdout}${text.stderr}`)), reject)
      }),
  }
  return run
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Logs the default profile in as a platform. */
export function logPlatformIn(cli: Cli, address: string, { id, secret }: Platform): Promise<Ended> {
  const args = ['login', '--url', address, '--platform', id, '--secret-stdin']
  return cli.run(args, { input: secret })
}

/** The JSON on standard output. */
export function jsonOf<T = Record<string, unknown>>({ stdout }: Ended): T {
  return JSON.parse(stdout) as T
}
