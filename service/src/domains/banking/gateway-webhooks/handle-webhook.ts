import type { IncomingHttpHeaders } from 'node:http'
import type { Database } from '../../../db/database.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { isProcessedWebhook, recordProcessedWebhook } from './store.ts'
import type { WebhookHandler } from './webhook-handler.ts'

export interface GatewayWebhooksContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Logger
  readonly handlers: readonly WebhookHandler[]
}

/**
 * A notice of an outside system: once its signature is proved it only says where to look. It is remembered after it
 * was dealt with, so that one that came in vain is welcome again.
 */
export async function handleGatewayWebhook(
  { database, clock, vault, logger, handlers }: GatewayWebhooksContext,
  name: string,
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
): Promise<void> {
  const named = handlers.filter(taker => taker.name === name)
  if (named.length === 0) throw new AppError('not_found', 'There is no payment gateway of this name')
  const notices = named.map(taker => taker.read(rawBody, headers)).filter(notice => notice.valid)
  if (notices.length === 0) {
    logger.warn({ gateway: name }, 'gateway notice: the signature is wrong')
    throw new AppError(
      'authentication_error',
      'The signature of the webhook does not verify with the secret of this gateway',
    )
  }
  for (const notice of notices) {
    // Whatever a gateway names it by, a payer's phone too, nobody reads here.
    const key = vault.blindIndex(notice.dedupeKey, 'gateway_notices.dedupe_key').toString('hex')
    if (await isProcessedWebhook(database, name, key)) continue
    await notice.follow()
    await recordProcessedWebhook(database, name, key, clock.now())
  }
}

/** What a notice is answered that cannot be followed at this moment: whoever sent it sends it again. */
export function retryLater(): AppError {
  return new AppError('service_unavailable', 'The gateway could not be asked about this; send it again', {
    headers: { 'retry-after': '30' },
  })
}
