import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { checkFile, checkpointIn } from './check-file.ts'
import { readKeys } from './published-keys.ts'
import { isDoubt, type VerificationResult } from './verification-result.ts'

/** The files of one verification, by their names; `-` is standard input. */
export interface FilesToVerify {
  readonly file: string
  /** The key document. */
  readonly keyFile: string | { readonly text: string }
  /** The response of `/v1/audit/verify` for what a revoked key signed, or for a passkey. */
  readonly proof: string | null
  /** The two checkpoints of a consistency proof. */
  readonly checkpoints: { readonly from: string; readonly to: string } | null
}

export interface Surroundings {
  /** The time at which it must be valid. */
  readonly at: Date
  /** Where relative names begin. */
  readonly folder: string
  readonly stdin: Readable
}

/** Verifies a file offline. Throws if a file cannot be read. */
export async function verifyFiles(
  { file, keyFile, proof: proofFile, checkpoints: files }: FilesToVerify,
  surroundings: Surroundings,
): Promise<VerificationResult> {
  const textOf = (name: string) => textIn(surroundings, name)
  const keys = readKeys(typeof keyFile === 'string' ? await textOf(keyFile) : keyFile.text)
  if (isDoubt(keys)) return keys
  const checkpointOf = async (name: string) => {
    const note = checkpointIn(await textOf(name))
    if (isDoubt(note)) throw new Error(`${name}: ${note.because}`)
    return note
  }
  const checkpoints =
    files === null ? null : { from: await checkpointOf(files.from), to: await checkpointOf(files.to) }
  const proof = proofFile === null ? null : await textOf(proofFile)
  return checkFile(await textOf(file), { keys, at: surroundings.at, checkpoints, proof })
}

const MAX_BYTES = 1024 * 1024

async function textIn(surroundings: Surroundings, file: string): Promise<string> {
  const bytes = await bytesOf(surroundings, file)
  const name = file === '-' ? 'standard input' : file
  if (bytes.length > MAX_BYTES) throw new Error(`${name} is longer than anything that the service signs`)
  if (!isUtf8(bytes))
    throw new Error(`${name} is not text in UTF-8; save the response of the service as it came`)
  return bytes.toString('utf8')
}

async function bytesOf({ folder, stdin }: Surroundings, file: string): Promise<Buffer> {
  try {
    return await (file === '-' ? buffer(stdin) : readFile(resolve(folder, file)))
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
