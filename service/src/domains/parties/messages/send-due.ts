import type { Database } from '../../../db/database.ts'
import type { TextSender } from '../../../gateways/text-sender.ts'
import { type Clock, HOUR_MS, istTimeText } from '../../../kernel/clock.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Job } from '../../../operations/jobs.ts'
import {
  claimDueMessages,
  type DueMessage,
  deleteMessage,
  postponeMessage,
  type StoredContent,
} from './store.ts'

/** The texts that the operator has registered, with placeholders. */
interface Texts {
  readonly bankAccount: string
}

interface Context {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Logger
  readonly sender: TextSender
  readonly texts: Texts
  /** The address of the page where owners log in. */
  readonly baseUrl: string
}

export interface TextMessages {
  /** Sends one bounded batch of due messages. Returns the number of messages claimed. */
  sendDue(now: Date): Promise<number>
  jobs(): Job[]
}

const TICK_MS = 1_000
const BATCH = 20
/** Longer than the timeout of a provider. */
const LEASE_MS = 60_000
const FIRST_PAUSE_MS = 10_000
const LONGEST_PAUSE_MS = 6 * HOUR_MS
/** Attempts over about three days. */
const MAX_ATTEMPTS = 24

/** The pause before a message that was not sent is retried. */
export function retryPauseMs(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_PAUSE_MS)
}

/** Runs one batch at a time in this process; a second caller waits for the batch that is running. */
export function openTextMessages(context: Context): TextMessages {
  let last: Promise<number> = Promise.resolve(0)

  function sendDue(now: Date): Promise<number> {
    const next = () => sendBatch(context, now)
    last = last.then(next, next)
    return last
  }
  return { sendDue, jobs: () => [{ name: 'text messages', everyMs: TICK_MS, run: sendDue }] }
}

async function sendBatch(context: Context, now: Date): Promise<number> {
  const { database, vault } = context
  const leaseUntil = new Date(now.getTime() + LEASE_MS)
  const due = await claimDueMessages(database, vault, { now, leaseUntil, limit: BATCH })
  // A message that cannot be decrypted stays stored for an operator, and is retried when its lease ends.
  const readable = due.flatMap(({ content, ...message }) =>
    content === null ? [] : [{ ...message, content }],
  )
  await Promise.all(readable.map(message => sendOne(context, message)))
  return due.length
}

async function sendOne(context: Context, message: DueMessage): Promise<void> {
  const { database, clock, logger, sender } = context
  const facts = { sender: sender.name, message_id: message.id, attempts: message.attempts }
  try {
    const failure = await deliver(context, message)
    if (failure === null) return await deleteMessage(database, message.id)
    if (message.attempts >= MAX_ATTEMPTS) {
      logger.error(
        { ...facts, reason: failure },
        'text message not sent after the last attempt; inform the owner in another way',
      )
      return await deleteMessage(database, message.id)
    }
    logger.warn({ ...facts, reason: failure }, 'text message not sent; it will be retried')
    const nextAttemptAt = new Date(clock.now().getTime() + retryPauseMs(message.attempts))
    await postponeMessage(database, message.id, nextAttemptAt)
  } catch (err) {
    // It is retried when its lease ends.
    logger.error({ ...facts, err }, 'text message: attempt failed; it will be retried')
  }
}

/** The reason why the message was not sent; null if it was sent. */
async function deliver({ sender, texts, baseUrl }: Context, { content }: DueMessage): Promise<string | null> {
  const response = await sender.send({ phone: content.phone, ...writeText(texts, content, baseUrl) })
  return response.kind === 'value' ? null : response.message
}

/** The text of a message and the values of its placeholders. `url` is the page where the owner can log in to object. */
function writeText(texts: Texts, { last4, effective_at }: StoredContent, url: string) {
  const variables = { last4, effective_at: istTimeText(new Date(effective_at)), url }
  const text = texts.bankAccount.replace(/\{(last4|effective_at|url)\}/g, (_whole, name: string) =>
    name === 'last4' ? last4 : name === 'url' ? url : variables.effective_at,
  )
  return { text, variables }
}
