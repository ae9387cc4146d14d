import type { Queryable } from '../../../db/database.ts'
import { rejected, value } from '../../../gateways/gateway-result.ts'
import type { OtpSender } from '../../../gateways/message-senders.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/secrets.ts'

interface Telephones {
  readonly database: Queryable
  readonly clock: Clock
  readonly vault: Vault
}

/** The sandbox's phones: a tester reads the last code here instead of on a screen. */
export interface SandboxOtpSender extends OtpSender {
  /** The last code that was sent to a phone of ten digits; null when none was sent. */
  lastCode(phone: string): Promise<string | null>
}

/** A code is encrypted for its phone, so none can be put into the row of another. */
const contextOf = (phoneIndex: Buffer) => `sandbox_otps.code:${phoneIndex.toString('hex')}`

/** A phone that no message reaches. */
export const UNREACHABLE_PHONE = '9000000404'

export function createSandboxOtpSender({ database, clock, vault }: Telephones): SandboxOtpSender {
  const indexOf = (phone: string) => vault.blindIndex(phone, 'sandbox_otps.phone')

  /** The code of another phone does not decrypt, and neither does one that an earlier release encrypted. */
  function codeIn(encrypted: Buffer, context: string): string | null {
    try {
      return vault.decrypt(encrypted, context)
    } catch {
      return null
    }
  }
  return {
    name: 'sandbox',
    async send({ phone, code }) {
      if (phone === UNREACHABLE_PHONE) return rejected('undelivered', 'The phone cannot be reached')
      const index = indexOf(phone)
      await database.query(
        `insert into sandbox_otps (phone_index, code, sent_at) values ($1, $2, $3)
         on conflict (phone_index) do update set code = excluded.code, sent_at = excluded.sent_at`,
        [index, vault.encrypt(code, contextOf(index)), clock.now()],
      )
      return value('sent')
    },
    async lastCode(phone) {
      const index = indexOf(phone)
      const [row] = await database.query<{ code: Buffer }>(
        `select code from sandbox_otps where phone_index = $1`,
        [index],
      )
      return row === undefined ? null : codeIn(row.code, contextOf(index))
    },
  }
}
