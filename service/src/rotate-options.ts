import { parseArgs } from 'node:util'
import { isTimestamp } from '@batua/contract'

export const USAGE = `Makes a new key that the service signs with, or revokes one; beside a service that is running or without it.

  npm run rotate-signing-key
  npm run rotate-signing-key -- --revoke KEY_ID [--at 2026-11-20T10:15:30Z]

Without options the keys before it stay published, and what they signed stays good.

  --revoke  the id of a key that may be in other hands. Its private half is destroyed, a new key takes
            over at once where none follows, and what the revoked key signed counts from now on only
            with a proof that the audit log has it
  --at      since when the key may be in other hands; absent: now

Ends with 0, or with 2 when it broke.
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

/** What the command line asks for; anything else is an error that says what is wrong. */
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
