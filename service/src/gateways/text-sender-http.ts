import { type HttpSenderOptions, type HttpSenderTiming, sendOverHttp } from './otp-sender-http.ts'
import type { TextSender } from './text-sender.ts'

/** Posts text messages to a provider over HTTP, as the sender of one-time codes does. */
export function createHttpTextSender(options: HttpSenderOptions, timing: HttpSenderTiming = {}): TextSender {
  return {
    name: 'http',
    send: ({ phone, text, variables }) =>
      sendOverHttp(options, { ...variables, phone, phone91: `91${phone}`, text }, timing),
  }
}
