import { DemoError } from './client.ts'

/** Runs a command to its end: prints its result, or one line instead of a stack if it fails. */
export async function runCommand(command: () => Promise<string>): Promise<void> {
  // If the reader closes the output, as `head` does, the command ends at once.
  process.stdout.once('error', () => process.exit(0))
  try {
    process.stdout.write(await command())
  } catch (error) {
    const isUsage = error instanceof TypeError && 'code' in error
    process.exitCode = isUsage ? 2 : 1
    const reason = error instanceof DemoError || isUsage ? error.message : String(error)
    process.stderr.write(`\n  ${reason}\n\n`)
  }
}
