import type { Database } from '../../db/database.ts'
import type { TextSender } from '../../gateways/message-senders.ts'
import type { PushKey } from '../../gateways/web-push.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Sender } from '../webhooks/index.ts'

/** How messages to owners are sent. */
export interface MessageChannel {
  readonly sender: TextSender
  /** The only phones that have it, because it leads to a place of theirs; null: all. */
  readonly phones: readonly string[] | null
}

/** The context of the notifications of owners. */
export interface NotificationsContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Logger
  readonly mode: 'sandbox' | 'live'
  /** The public address; links begin with it. */
  readonly baseUrl: string
  readonly pushKey: PushKey
  readonly pushSender: Sender
  /** The real time, never the sandbox’s test clock, because push services compare it with theirs. */
  readonly wallClock: Pick<Clock, 'now'>
  /** null: the operator sends no messages. */
  readonly messages: MessageChannel | null
}
