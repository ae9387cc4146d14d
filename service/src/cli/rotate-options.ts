import { parseArgs } from 'node:util'
import { isTimestamp } from '@batua/contract'

export const USAGE = `Creates a new signing key, or revokes one. The service may be running or stopped.

  npm run rotate-signing-key
  npm run rotate-signing-key -- --revoke KEY_ID [--at 2026-11-20T10:15:30Z]

Without options the earlier keys stay published, and their signatures stay valid.

  --revoke  the id of a key that may have been stolen. Its private half is destroyed, and if no key
            follows it, a new one signs at once. From then on its signatures need a proof that the
            audit log contains the object
  --at      the time since which the key may have been stolen; absent: now

Exits with 0, or with 2 if it failed.
`

export type RotateOptions =
  | { readonly kind: 'help' }
  | { readonly kind: 'rotate' }
  /** `at` is null for now. */
  | { readonly kind: 'revoke'; readonly keyId: string; readonly at: Date | null }

const OPTIONS = {
  revoke: { type: 'string' },
  at: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

/** Reads the command line; throws an error that names the wrong option. */
export function readRotateOptions(args: readonly string[]): RotateOptions {
  const { revoke, at, help } = parseArgs({ args: [...args], options: OPTIONS }).values
  if (help) return { kind: 'help' }
  if (revoke === undefined) {
    if (at !== undefined) throw new Error('--at belongs to --revoke')
    return { kind: 'rotate' }
  }
  if (at !== undefined && !isTimestamp(at))
    throw new Error('--at must be a time, such as 2026-11-20T10:15:30Z')
  return { kind: 'revoke', keyId: revoke, at: at === undefined ? null : new Date(at) }
}
