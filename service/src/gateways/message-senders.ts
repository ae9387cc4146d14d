import type { GatewayResult } from './gateway-result.ts'

/** A one-time code for a person. Neither phone nor code is ever logged or put into an error. */
export interface OtpMessage {
  /** Ten digits. */
  readonly phone: string
  readonly code: string
  readonly validMinutes: number
}

/** Sends codes to phones. Its error messages are logged, so they quote nothing of the message. */
export interface OtpSender {
  readonly name: string
  send(message: OtpMessage): Promise<GatewayResult<'sent'>>
}

/** A text message to a person about what happened to an account. Neither phone nor text is ever logged. */
export interface TextMessage {
  /** Ten digits. */
  readonly phone: string
  /** Which of the registered texts it is. */
  readonly template: TextTemplate
  readonly text: string
  /** The values of the text's placeholders, for providers that fill in a registered template. */
  readonly variables: Readonly<Record<string, string>>
}

/** The texts that an operator registers. */
export type TextTemplate = 'bank_account' | 'passkey' | 'app' | 'notification'

/** Sends text messages to phones. Its error messages are logged, so they quote nothing of the message. */
export interface TextSender {
  readonly name: string
  send(message: TextMessage): Promise<GatewayResult<'sent'>>
}
