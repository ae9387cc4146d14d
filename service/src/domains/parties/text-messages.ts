import type { Database } from '../../db/database.ts'
import type { TextSender } from '../../gateways/message-senders.ts'
import { backoffMs, type Clock, HOUR_MS, istTimeText } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { dueWork } from '../../operations/due-work.ts'
import type { Job } from '../../operations/jobs.ts'
import {
  type DueMessage,
  deleteMessage,
  dueMessages,
  postponeMessage,
  type StoredContent,
} from './text-message-store.ts'

/** The texts that the operator has registered, with placeholders. */
interface Texts {
  readonly bankAccount: string
  readonly passkey: string
  readonly app: string
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

const RETRY_PAUSE = { firstMs: 10_000, longestMs: 6 * HOUR_MS }
/** Attempts over about three days. */
const MAX_ATTEMPTS = 24

const textMessages = dueWork<Context, DueMessage>({
  name: 'text messages',
  rows: dueMessages,
  work: sendOne,
  failure: 'text message: attempt failed; it will be retried',
  ids: ({ id, attempts }) => ({ message_id: id, attempts }),
})

/** Runs one batch at a time in this process; a second caller waits for the batch that is running. */
export function openTextMessages(context: Context): Job {
  const job = textMessages(context)
  let last: Promise<number> = Promise.resolve(0)
  return {
    ...job,
    run(now) {
      const next = () => job.run(now)
      last = last.then(next, next)
      return last
    },
  }
}

async function sendOne(context: Context, message: DueMessage): Promise<void> {
  const { database, clock, logger, sender } = context
  const { id, attempts } = message
  const reason = await deliver(context, message)
  if (reason === null) return deleteMessage(database, id)
  const facts = { sender: sender.name, message_id: id, attempts, reason }
  if (attempts >= MAX_ATTEMPTS) {
    logger.error(facts, 'text message not sent after the last attempt; inform the owner in another way')
    return deleteMessage(database, id)
  }
  logger.warn(facts, 'text message not sent; it will be retried')
  await postponeMessage(database, id, new Date(clock.now().getTime() + backoffMs(attempts - 1, RETRY_PAUSE)))
}

/** The reason why the message was not sent; null if it was sent. */
async function deliver({ sender, texts, baseUrl }: Context, { content }: DueMessage): Promise<string | null> {
  const response = await sender.send({ phone: content.phone, ...writeText(texts, content, baseUrl) })
  return response.kind === 'value' ? null : response.message
}

/** The text of a message and the values of its placeholders. `url` is the page where the owner can log in to object. */
function writeText(texts: Texts, content: StoredContent, url: string) {
  const effective_at = istTimeText(new Date(content.effective_at))
  switch (content.kind) {
    case 'bank_account_changed':
      return filledIn('bank_account', texts.bankAccount, { last4: content.last4, effective_at, url })
    case 'passkey_added':
      return filledIn('passkey', texts.passkey, { change: 'added', effective_at, url })
    case 'passkey_removed':
      return filledIn('passkey', texts.passkey, { change: 'removed', effective_at, url })
    case 'app_connected': {
      const { agent, daily } = content
      return filledIn('app', texts.app, { agent, daily, effective_at, url })
    }
  }
}

function filledIn<Template extends string>(
  template: Template,
  text: string,
  variables: Readonly<Record<string, string>>,
) {
  const filled = text.replace(/\{([a-z0-9_]+)\}/g, (whole, name: string) => variables[name] ?? whole)
  return { template, text: filled, variables }
}
