import type { Queryable } from '../../../db/database.ts'
import { rejected, value } from '../../../gateways/gateway-result.ts'
import type { TextSender } from '../../../gateways/message-senders.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { UNREACHABLE_PHONE } from './otp-sender.ts'

interface Telephones {
  readonly database: Queryable
  readonly clock: Clock
  readonly vault: Vault
}

export interface ReceivedMessage {
  readonly text: string
  readonly sentAt: Date
}

/** The sandbox's phones: a tester reads the messages here instead of on a screen. */
export interface SandboxTextSender extends TextSender {
  /** The last messages that were sent to a phone of ten digits, the newest first. */
  received(phone: string): Promise<ReceivedMessage[]>
}

/** A phone keeps its last messages. */
const SHOWN = 100

const contextOf = (id: Uuid) => `sandbox_messages.text ${id}`

export function createSandboxTextSender({ database, clock, vault }: Telephones): SandboxTextSender {
  const indexOf = (phone: string) => vault.blindIndex(phone, 'sandbox_messages.phone')
  return {
    name: 'sandbox',
    async send({ phone, text }) {
      if (phone === UNREACHABLE_PHONE) return rejected('undelivered', 'The phone cannot be reached')
      const now = clock.now()
      const id = newUuid(now)
      await database.query(
        `insert into sandbox_messages (id, phone_index, text, sent_at) values ($1, $2, $3, $4)`,
        [id, indexOf(phone), vault.encrypt(text, contextOf(id)), now],
      )
      return value('sent')
    },
    async received(phone) {
      const rows = await database.query<{ id: Uuid; text: Buffer; sentAt: Date }>(
        `select id, text, sent_at as "sentAt" from sandbox_messages where phone_index = $1 order by id desc limit $2`,
        [indexOf(phone), SHOWN],
      )
      return rows.map(({ id, text, sentAt }) => ({ text: vault.decrypt(text, contextOf(id)), sentAt }))
    },
  }
}
