import { signTimestamped } from '../signed-webhook.ts'

export interface FakeWebhook {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface WebhookOptions {
  readonly secret: string
  readonly now: Date
  /** Something on the way wrote the body once more, so its bytes are not those that were signed. */
  readonly reserialised?: boolean
}

/** A signed webhook. `data` may hold raw JSON, for ids that are bare numbers of 19 digits. */
export function makeFakeWebhook(
  type: string,
  data: unknown,
  { secret, now, reserialised = false }: WebhookOptions,
): FakeWebhook {
  const body = JSON.stringify({ data, event_time: now.toISOString(), type })
  const timestamp = String(now.getTime())
  return {
    body: reserialised ? JSON.stringify(JSON.parse(body), null, 1) : body,
    headers: {
      'content-type': 'application/json',
      'x-webhook-timestamp': timestamp,
      'x-webhook-signature': signTimestamped(body, timestamp, secret),
      'x-webhook-version': '2025-01-01',
      'x-webhook-attempt': '1',
    },
  }
}
