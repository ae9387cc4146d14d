import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Ended } from './commands.ts'
import type { Env } from './service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BATUA = join(ROOT, 'cli/dist/batua.js')

/** Builds the command as it is published. */
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
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  readonly ended: Promise<Ended>
  /** Resolves when the output so far fits. */
  until(fits: (running: RunningCli) => boolean): Promise<void>
}

/** The command with profiles of its own. */
export interface Cli {
  /** The folder of its profiles. */
  readonly folder: string
  /** Runs it to its end, with pipes. */
  run(args: readonly string[], options?: CliOptions): Promise<Ended>
  start(args: readonly string[], options?: CliOptions): RunningCli
  /** Runs it on a terminal, on which `typed` is typed as soon as it asks; standard error is part of the output. */
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
  const start = (program: string, args: readonly string[], { env: more = {}, input }: CliOptions) =>
    running(spawn(program, [...args], { cwd: home, env: { ...env, ...more } }), input)
  const startOnTerminal = (args: readonly string[], options: CliOptions = {}) => {
    const command = [process.execPath, BATUA, ...args].map(quoted).join(' ')
    return start('script', ['-qefc', `stty cols 200; exec ${command}`, '/dev/null'], options)
  }
  return {
    folder: join(home, 'config', 'batua'),
    run: (args, options = {}) => start(process.execPath, [BATUA, ...args], { input: '', ...options }).ended,
    start: (args, options = {}) => start(process.execPath, [BATUA, ...args], { input: '', ...options }),
    startOnTerminal,
    async onTerminal(args, { typed, ...options } = {}) {
      const run = startOnTerminal(args, options)
      if (typed !== undefined) {
        await run.until(({ stdout }) => stdout().includes(': '))
        run.child.stdin?.write(typed)
      }
      return run.ended
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

function running(child: ChildProcess, input: string | undefined): RunningCli {
  const text = { stdout: '', stderr: '' }
  const waiting = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
      for (const look of waiting) look()
    })
  }
  // A command that ends without reading breaks the pipe.
  child.stdin?.on('error', () => undefined)
  if (input !== undefined) child.stdin?.end(input)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve({ code: code ?? -1, ...text }))
  })
  const run: RunningCli = {
    child,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
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

/** The JSON on standard output. */
export function jsonOf<T = Record<string, unknown>>({ stdout }: Ended): T {
  return JSON.parse(stdout) as T
}
