import { type Command, CommanderError } from 'commander'
import type { Action, Run } from './commands/command.ts'
import { EXIT, Failure, failureOf } from './failure.ts'
import { openProfiles } from './profile/profiles.ts'
import { createProgram } from './program.ts'
import type { GlobalOptions, Session } from './session.ts'
import { type Output, openOutput } from './terminal/output.ts'

const args = process.argv.slice(2)
const stop = new AbortController()

/** The first Ctrl-C lets a command say what is known; the second ends it at once. */
function onInterrupt(): void {
  if (stop.signal.aborted) process.exit(EXIT.failed)
  stop.abort(new Failure({ exit: EXIT.failed, code: 'interrupted', message: 'Interrupted' }))
}

function outputFor(json: boolean): Output {
  return openOutput({ json, stdout: process.stdout, stderr: process.stderr, env: process.env })
}

function run<Options>(action: Action<Options>): ReturnType<Run> {
  return async function (this: Command) {
    const options = this.optsWithGlobals<Options & GlobalOptions>()
    const { json = false, profile, timeout } = options
    const session: Session = {
      out: outputFor(json),
      signal: stop.signal,
      env: process.env,
      args,
      profiles: openProfiles(profile, process.env),
      timeoutMs: timeout * 1_000,
    }
    process.exitCode = (await action(session, options, this.processedArgs as string[])) ?? EXIT.done
  }
}

/** With `--json` standard output has the error too, in the service's envelope; without, nothing. */
function report(error: unknown): void {
  const out = outputFor(args.includes('--json'))
  const failure = failureOf(error)
  out.body(failure.body)
  out.note(`batua: ${failure.message}`)
  for (const hint of failure.hints) out.note(hint)
  process.exitCode = failure.exit
}

/** Errors of the arguments become failures like all others; help and the version were printed. */
function throwing(command: Command): Command {
  command.exitOverride().configureOutput({ writeErr: () => undefined })
  for (const each of command.commands) throwing(each)
  return command
}

function isPrinted(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0
}

function argumentFailure(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error
  const message = error.code === 'commander.help' ? 'Name a command' : error.message.replace(/^error: /, '')
  return new Failure({ exit: EXIT.usage, code: 'usage_error', message, hints: ['batua --help tells more'] })
}

process.on('SIGINT', onInterrupt).on('SIGTERM', onInterrupt)
// The reader of the output has ended, such as `head`.
process.stdout.on('error', () => process.exit(EXIT.done))

try {
  await throwing(createProgram(run)).parseAsync(args, { from: 'user' })
} catch (error) {
  if (!isPrinted(error)) report(argumentFailure(error))
}
