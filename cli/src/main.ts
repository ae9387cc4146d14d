import type { Readable, Writable } from 'node:stream'
import { type Command, CommanderError } from 'commander'
import type { Action, Run } from './commands/command.ts'
import { EXIT, type ExitCode, Failure, failureOf } from './failure.ts'
import { openOutput } from './output.ts'
import { openProfiles } from './profiles.ts'
import { createProgram } from './program.ts'
import type { GlobalOptions, Session } from './session.ts'

/** What a command is started with: that of its process, or of a test. */
export interface Invocation {
  /** Without the name of the program. */
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly stdin: Input
  readonly stdout: Terminal
  readonly stderr: Terminal
  /** Aborted by Ctrl-C, with `interrupted()` as its reason. */
  readonly signal: AbortSignal
}

/** A stream that may be a terminal. */
export type Terminal = Writable & { readonly isTTY?: boolean }
export type Input = Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }

/** Runs one command; resolves with its exit code. */
export async function main(invocation: Invocation): Promise<ExitCode> {
  const { args, env, stdout, stderr } = invocation
  const outputFor = (json: boolean) => openOutput({ json, stdout, stderr, env })
  let exit: ExitCode = EXIT.done

  function run<Options>(action: Action<Options>): ReturnType<Run> {
    return async function (this: Command) {
      const options = this.optsWithGlobals<Options & GlobalOptions>()
      const { json = false, profile, timeout } = options
      const session: Session = {
        ...invocation,
        out: outputFor(json),
        profiles: openProfiles(profile, env),
        timeoutMs: timeout * 1_000,
      }
      exit = (await action(session, options, this.processedArgs as string[])) ?? EXIT.done
    }
  }

  try {
    await prepared(createProgram(run, env), stdout).parseAsync([...args], { from: 'user' })
    return exit
  } catch (error) {
    if (isPrinted(error)) return EXIT.done
    // With --json standard output has the error too, in the service's envelope; without, nothing.
    const out = outputFor(args.includes('--json'))
    const failure = failureOf(argumentFailure(error))
    out.body(failure.body)
    out.note(`batua: ${failure.message}`)
    for (const hint of failure.hints) out.note(hint)
    return failure.exit
  }
}

/** Errors of the arguments become failures like all others; help and the version are the result. */
function prepared(command: Command, stdout: Writable): Command {
  const writeOut = (text: string) => void stdout.write(text)
  command.exitOverride().configureOutput({ writeOut, writeErr: () => undefined })
  for (const each of command.commands) prepared(each, stdout)
  return command
}

function isPrinted(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0
}

function argumentFailure(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error
  const [message = '', ...more] = error.message.replace(/^error: /, '').split('\n')
  return new Failure({
    exit: EXIT.usage,
    code: 'usage_error',
    message: error.code === 'commander.help' ? 'Name a command' : message,
    hints: [...more, 'run batua --help to list the commands'],
  })
}
