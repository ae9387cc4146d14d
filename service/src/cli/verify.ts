import { resultText, verifyFiles } from '@batua/verification'
import { systemClock } from '../kernel/clock.ts'
import { readOptions, USAGE } from './verify-options.ts'

/** npm runs scripts in the project's folder and passes the caller's folder in a variable. */
const TYPED_IN = process.env['INIT_CWD'] ?? process.cwd()

async function run(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  if (options === null) {
    process.stdout.write(USAGE)
    return 0
  }
  const at = options.at ?? systemClock().now()
  const verdict = await verifyFiles(options, { at, folder: TYPED_IN, stdin: process.stdin })
  process.stdout.write(resultText(verdict))
  return verdict.kind === 'genuine' ? 0 : 1
}

try {
  process.exitCode = await run()
} catch (error) {
  const because = error instanceof Error ? error.message : String(error)
  process.stderr.write(`cannot tell: ${because}\n--help explains the use.\n`)
  process.exitCode = 1
}
