import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import {
  checkFile,
  checkpointIn,
  isDoubt,
  readKeys,
  resultText,
  type VerificationResult,
} from '@batua/verification'
import { systemClock } from '../kernel/clock.ts'
import { readOptions, USAGE, type VerifyOptions } from './verify-options.ts'

const MAX_BYTES = 1024 * 1024

async function verify(options: VerifyOptions): Promise<VerificationResult> {
  const keys = readKeys(await textOf(options.keyFile))
  if (isDoubt(keys)) return keys
  const { checkpoints: files } = options
  const checkpoints =
    files === null ? null : { from: await checkpointOf(files.from), to: await checkpointOf(files.to) }
  const proof = options.proof === null ? null : await textOf(options.proof)
  const text = await textOf(options.file)
  return checkFile(text, { keys, at: options.at ?? systemClock().now(), checkpoints, proof })
}

async function checkpointOf(file: string): Promise<string> {
  const note = checkpointIn(await textOf(file))
  if (isDoubt(note)) throw new Error(`${file}: ${note.because}`)
  return note
}

/** npm runs scripts in the project's folder and passes the caller's folder in a variable. */
const TYPED_IN = process.env['INIT_CWD'] ?? process.cwd()

async function textOf(file: string): Promise<string> {
  const bytes = await bytesOf(file)
  const name = file === '-' ? 'standard input' : file
  if (bytes.length > MAX_BYTES) throw new Error(`${name} is longer than anything that the service signs`)
  if (!isUtf8(bytes))
    throw new Error(`${name} is not text in UTF-8; save the answer of the service as it came`)
  return bytes.toString('utf8')
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await (file === '-' ? buffer(process.stdin) : readFile(resolve(TYPED_IN, file)))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'it broke off'
    throw new Error(`cannot read ${file}: ${REASONS[code] ?? code}`, { cause: error })
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
}

async function run(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  if (options === null) {
    process.stdout.write(USAGE)
    return 0
  }
  const verdict = await verify(options)
  process.stdout.write(resultText(verdict))
  return verdict.kind === 'genuine' ? 0 : 1
}

try {
  process.exitCode = await run()
} catch (error) {
  const because = error instanceof Error ? error.message : String(error)
  process.stderr.write(`cannot tell: ${because}\n--help tells how to use this.\n`)
  process.exitCode = 1
}
