import type { IncomingHttpHeaders } from 'node:http'

/** A notice as its taker understands it. It says where to look, never what is true. */
export interface ParsedWebhook {
  /** Whether the signature is the sender's. */
  readonly valid: boolean
  /** The same for every copy of one notice. */
  readonly dedupeKey: string
  /** Looks where it points; rejects when that cannot be done now, so that the notice is sent again. */
  follow(): Promise<void>
}

/** Who understands the notices of one outside system. */
export interface WebhookHandler {
  /** Stands in the address: `/v1/gateway/{name}/webhooks`. */
  readonly name: string
  read(rawBody: Buffer, headers: IncomingHttpHeaders): ParsedWebhook
}
