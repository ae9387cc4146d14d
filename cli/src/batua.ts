import { EXIT, interrupted } from './failure.ts'
import { main } from './main.ts'

const stop = new AbortController()

/** The first Ctrl-C lets a command say what is known; the second ends it at once. */
function onInterrupt(): void {
  if (stop.signal.aborted) process.exit(EXIT.failed)
  stop.abort(interrupted())
}

process.on('SIGINT', onInterrupt).on('SIGTERM', onInterrupt)
process.stdout.on('error', (error: Error) => {
  // The reader of the output has ended, such as `head`. Anything else, such as a full disk, is a failure.
  if ('code' in error && error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.done)
  process.stderr.write(`batua: Standard output cannot be written: ${error.message}\n`)
  process.exit(EXIT.failed)
})

const { env, stdin, stdout, stderr } = process
process.exitCode = await main({
  args: process.argv.slice(2),
  env,
  stdin,
  stdout,
  stderr,
  signal: stop.signal,
})
