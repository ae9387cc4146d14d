import { Webhook } from 'standardwebhooks'

const USER_AGENT = 'Batua-Webhooks/1.0'

/**
 * The headers of one attempt (Standard Webhooks), signed with every secret in force; `now` is the real time, because
 * receivers compare it with their own clock.
 */
export function signedHeaders(
  secrets: readonly string[],
  eventId: string,
  body: string,
  now: Date,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map(secret => new Webhook(secret).sign(eventId, now, body)).join(' '),
  }
}
