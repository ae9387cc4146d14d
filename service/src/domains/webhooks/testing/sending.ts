import { expect, onTestFinished } from 'vitest'
import type { AttemptResult, OutgoingWebhook } from '../delivering/attempt.ts'
import { openSender, type Sender, type SenderOptions } from '../delivering/send.ts'

/** More than any of these tests takes, so that what ends earlier did not end by it. */
const AMPLE_MS = 10_000

/** A sender for developers' machines that is closed when the test is over. */
export function senderForTest(options: Partial<SenderOptions> = {}): Sender {
  const sender = openSender({ mode: 'sandbox', maxConnections: 4, timeoutMs: AMPLE_MS, ...options })
  onTestFinished(() => sender.close())
  return sender
}

export function webhookTo(url: string, body = '{"event":"webhook.test"}'): OutgoingWebhook {
  return { url, body, headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' } }
}

export function responded(status: number, retryAfter: string | null = null): AttemptResult {
  return { kind: 'responded', status, retryAfter }
}

export function noResponse(error: string): AttemptResult {
  // What platforms read must not help anybody to map networks.
  expect(error).not.toMatch(/\d+\.\d+|::|[A-Z_]{6,}/)
  return { kind: 'no_response', error }
}
