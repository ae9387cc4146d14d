import { normaliseTotpSecret, totpSecretBytes } from '../kernel/totp.ts'
import type { EnvReader } from './env-reader.ts'
import type { ValueKind } from './env-values.ts'

/** RFC 4226 requires 128 bits; some apps make only 80, which is accepted in sandbox mode. */
const LEAST_BYTES = { live: 16, sandbox: 10 }

/** A secret for a phone; with null for all phones. */
type Entry = readonly [phone: string | null, secret: string]

/** The TOTP secret of each administrator, by phone. Live mode needs one for every phone of `ADMIN_PHONES`. */
export function readAdminTotp(
  reader: EnvReader,
  adminPhones: readonly string[],
  live: boolean,
): ReadonlyMap<string, string> {
  const entries = reader.need(
    'ADMIN_TOTP_SECRET',
    entriesOf(LEAST_BYTES[live ? 'live' : 'sandbox']),
    [],
    live,
  )
  const forAll = entries.find(([phone]) => phone === null)?.[1]
  const secrets = new Map<string, string>()
  for (const phone of adminPhones) {
    const secret = forAll ?? entries.find(([owner]) => owner === phone)?.[1]
    if (secret !== undefined) secrets.set(phone, secret)
  }
  if (live && entries.length > 0 && secrets.size < new Set(adminPhones).size) {
    reader.problem('ADMIN_TOTP_SECRET', 'must have a secret for every phone of ADMIN_PHONES')
  }
  return secrets
}

function entriesOf(leastBytes: number): ValueKind<readonly Entry[]> {
  return {
    expected: `a base32 secret of at least ${leastBytes} bytes, or phone:secret pairs separated by commas`,
    parse: text => {
      const entries = text.split(',').map(entry => entryOf(entry, leastBytes))
      const found = entries.filter(entry => entry !== null)
      const isOneForAll = found.length === 1
      const isWhole =
        found.length === entries.length && (isOneForAll || found.every(([phone]) => phone !== null))
      return isWhole ? found : undefined
    },
  }
}

function entryOf(text: string, leastBytes: number): Entry | null {
  const [first = '', second, ...rest] = text.split(':')
  const secret = normaliseTotpSecret(second ?? first)
  const phone = second === undefined ? null : first.trim()
  if (rest.length > 0 || secret === null || totpSecretBytes(secret) < leastBytes) return null
  return phone === null || /^[6-9]\d{9}$/.test(phone) ? [phone, secret] : null
}
