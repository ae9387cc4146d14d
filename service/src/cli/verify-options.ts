import { parseArgs } from 'node:util'
import { isTimestamp } from '@batua/contract'
import type { FilesToVerify } from '@batua/verification'

export interface VerifyOptions extends FilesToVerify {
  readonly keyFile: string
  /** The time at which it must be valid; null for now. */
  readonly at: Date | null
}

export const USAGE = `Verifies offline what the service signed, or the passkey of a person. It needs only the service's key document.

  npm run verify -- FILE --keys KEYFILE [--at 2026-11-20T10:15:30Z] [--proof ENTRY]
  npm run verify -- PROOF --keys KEYFILE --from CHECKPOINT --to CHECKPOINT

  FILE          a receipt, certificate, membership proof, identity verification, audit entry with its
                proof (the response of /v1/audit/verify) or checkpoint, as the service returned it,
                or the token of one of them; an approval that a passkey confirmed, or the evidence
                in it; - reads standard input
  --keys        the service's /.well-known/service-keys.json or jwks.json, saved
  --at          the time at which a certificate or proof must be valid; absent: now
  --proof       for an object of a revoked key: the response of /v1/audit/verify for its entry in the log;
                for an approval: that for the audit_id of the passkey, which shows whose it is
  --from, --to  the earlier and the later checkpoint of a consistency proof (/v1/audit/consistency)

Exits with 0 if it is genuine, and with 1 if it is not or cannot be verified.
`

const OPTIONS = {
  keys: { type: 'string' },
  at: { type: 'string' },
  proof: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

/** Reads the command line; null for help. Throws an error that names the wrong option. */
export function readOptions(args: readonly string[]): VerifyOptions | null {
  const { values, positionals } = parsed(args)
  if (values.help) return null
  const [file] = positionals
  if (file === undefined || positionals.length > 1)
    throw new Error('name one file to check, or - for standard input')
  const { keys: keyFile, at, proof, from, to } = values
  if (keyFile === undefined) throw new Error('name the key document with --keys')
  if (at !== undefined && !isTimestamp(at))
    throw new Error('--at must be a time, such as 2026-11-20T10:15:30Z')
  if ((from === undefined) !== (to === undefined)) throw new Error('--from and --to belong together')
  if ([file, keyFile, proof, from, to].filter(name => name === '-').length > 1)
    throw new Error('only one file can come from standard input')
  return {
    file,
    keyFile,
    at: at === undefined ? null : new Date(at),
    proof: proof ?? null,
    checkpoints: from === undefined || to === undefined ? null : { from, to },
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS })
  } catch (error) {
    // The first sentence names the problem; the rest explains the parser.
    throw new Error(error instanceof Error ? error.message.split('. ')[0] : String(error), { cause: error })
  }
}
