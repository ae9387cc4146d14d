import type { IncomingHttpHeaders } from 'node:http'
import { receiveGatewayWebhook } from '@batua/contract'
import type { Database } from '../../db/database.ts'
import type { Serve } from '../../http/serve.ts'
import { AppError } from '../../kernel/app-error.ts'
import { type Clock, DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Job } from '../../operations/jobs.ts'
import { deleteWebhooksBefore, isProcessedWebhook, recordProcessedWebhook } from './gateway-webhook-store.ts'

/** A parsed webhook. It says what to query, never what is true. */
export interface ParsedWebhook {
  /** Whether the signature is the sender's. */
  readonly valid: boolean
  /** The same for every copy of one webhook. */
  readonly dedupeKey: string
  /**
   * Queries the gateway for what the webhook names; rejects when that is not possible now, so that the webhook is sent
   * again.
   */
  follow(): Promise<void>
}

/** The webhook handler of one outside system. */
export interface WebhookHandler {
  /** The name in the path: `/v1/gateway/{name}/webhooks`. */
  readonly name: string
  read(rawBody: Buffer, headers: IncomingHttpHeaders): ParsedWebhook
}

export interface GatewayWebhooksContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Logger
  readonly handlers: readonly WebhookHandler[]
}

/**
 * Handles a webhook of an outside system. Once its signature is verified it only says what to query. It is recorded
 * after it was processed, so that one whose processing failed is accepted again.
 */
export async function handleGatewayWebhook(
  { database, clock, vault, logger, handlers }: GatewayWebhooksContext,
  name: string,
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
): Promise<void> {
  const named = handlers.filter(handler => handler.name === name)
  if (named.length === 0) throw new AppError('not_found', 'There is no payment gateway of this name')
  const webhooks = named.map(handler => handler.read(rawBody, headers)).filter(webhook => webhook.valid)
  if (webhooks.length === 0) {
    logger.warn({ gateway: name }, 'gateway webhook: invalid signature')
    throw new AppError(
      'authentication_error',
      'The signature of the webhook does not verify with the secret of this gateway',
    )
  }
  for (const webhook of webhooks) {
    // The gateway's key may contain anything, even a payer's phone number, so only its blind index is stored.
    const key = vault.blindIndex(webhook.dedupeKey, 'gateway_notices.dedupe_key').toString('hex')
    if (await isProcessedWebhook(database, name, key)) continue
    await webhook.follow()
    await recordProcessedWebhook(database, name, key, clock.now())
  }
}

/** The response to a webhook that cannot be processed now: the sender sends it again. */
export function retryLater(): AppError {
  return new AppError('service_unavailable', 'The gateway could not be asked about this; send it again', {
    headers: { 'retry-after': '30' },
  })
}

/** Gateways repeat their webhooks for hours; a month is for people who ask what was sent. */
const WEBHOOKS_KEPT_MS = 30 * DAY_MS

/** Deletes the record of old webhooks. */
export function webhookCleanup({ database }: Pick<GatewayWebhooksContext, 'database'>): Job {
  return {
    name: 'gateway webhooks',
    everyMs: HOUR_MS,
    run: now => deleteWebhooksBefore(database, new Date(now.getTime() - WEBHOOKS_KEPT_MS)),
  }
}

export function serveGatewayWebhooks(serve: Serve, context: GatewayWebhooksContext): void {
  serve(
    receiveGatewayWebhook,
    async call => {
      const rawBody = call.rawBody ?? Buffer.alloc(0)
      await handleGatewayWebhook(context, call.params.gateway, rawBody, call.headers)
      return { received: true }
    },
    // A gateway sends as many webhooks as there are payments, so only those that fail verification count.
    { countWrongOn: 'gatewayWebhooks' },
  )
}
