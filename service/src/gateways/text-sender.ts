import type { GatewayResult } from './gateway-result.ts'

/** A text message to a person about what happened to an account. Neither phone nor text is ever logged. */
export interface TextMessage {
  /** Ten digits. */
  readonly phone: string
  readonly text: string
  /** What the text is made of, for providers that fill in a registered template themselves. */
  readonly variables: Readonly<Record<string, string>>
}

/** Brings text messages to phones. Its words for what went wrong are logged, so they quote nothing of the message. */
export interface TextSender {
  readonly name: string
  send(message: TextMessage): Promise<GatewayResult<'sent'>>
}
