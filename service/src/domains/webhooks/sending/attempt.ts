/** What a receiver did with one request, or why there was none. Nothing in it quotes the receiver's words. */
export type AttemptResult =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | null }
  /** No answer came; `error` is a sentence for the platform's developers. */
  | { readonly kind: 'unanswered'; readonly error: string }

/** One request as it goes out. */
export interface OutgoingWebhook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The JSON text that was signed. */
  readonly body: string
}

/** What is to become of a delivery after an attempt. */
export type Verdict =
  | { readonly status: 'delivered'; readonly responseStatus: number }
  | {
      readonly status: 'pending'
      readonly responseStatus: number | null
      readonly error: string
      readonly nextAttemptAt: Date
      /** Until when the receiver asked to be left alone. */
      readonly pausedUntil: Date | null
    }
  | {
      readonly status: 'failed'
      readonly responseStatus: number | null
      readonly error: string
      /** The receiver answered 410: it wants nothing more. */
      readonly isGone: boolean
    }
