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
