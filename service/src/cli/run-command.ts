/**
 * Runs a command that may start a database, and ends with the code that it returns. `failure`: the code if it throws, and
 * if a signal ends it.
 */
export async function runCommand(run: () => Promise<number>, failure: 1 | 2): Promise<void> {
  // However this process ends, it stops a database that it started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(failure))
  try {
    process.exitCode = await run()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = failure
  }
}
