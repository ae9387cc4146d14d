import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, rejected, value } from './answer.ts'
import type { OtpMessage, OtpSender } from './otp-sender.ts'
import { fillIn, type OtpRequestTemplate, type Placeholders } from './otp-template.ts'

/** How a provider of text messages wants to be asked (India: TRAI's DLT rules want the three ids). */
export interface HttpOtpSenderOptions extends OtpRequestTemplate {
  readonly token: string
  /** `none`: the token goes in a placeholder. */
  readonly authHeader: string
  readonly entityId: string | null
  readonly templateId: string | null
  readonly senderId: string | null
  /** What an answer must contain to count as sent, beside a 2xx status; null: nothing more. */
  readonly successText: string | null
}

export interface HttpOtpSenderTiming {
  readonly timeoutMs?: number
  /** Between the two tries to connect. */
  readonly pause?: () => Promise<void>
}

const TIMEOUT_MS = 10_000
const RETRY_AFTER_MS = 250
const MAX_ANSWER_BYTES = 64 * 1024

/** Posts codes to a provider over HTTP. Follows no redirect, since that would hand the code to somebody else. */
export function createHttpOtpSender(
  options: HttpOtpSenderOptions,
  { timeoutMs = TIMEOUT_MS, pause = () => delay(RETRY_AFTER_MS) }: HttpOtpSenderTiming = {},
): OtpSender {
  return {
    name: 'http',
    async send(message) {
      const first = await attempt(options, message, timeoutMs)
      if (first.kind !== 'retryable') return first
      await pause()
      return attempt(options, message, timeoutMs)
    },
  }
}

async function attempt(
  options: HttpOtpSenderOptions,
  message: OtpMessage,
  timeoutMs: number,
): Promise<Answer<'sent'>> {
  const request = fillIn(options, placeholders(options, message))
  try {
    const response = await fetch(request.url, {
      method: options.method,
      headers: { ...request.headers, ...authorization(options) },
      body: request.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return judge(response.status, await textOf(response), options.successText)
  } catch (error) {
    return failure(error)
  }
}

function placeholders(
  options: HttpOtpSenderOptions,
  { phone, code, validMinutes }: OtpMessage,
): Placeholders {
  return {
    phone,
    phone91: `91${phone}`,
    code,
    minutes: String(validMinutes),
    entity_id: options.entityId ?? '',
    template_id: options.templateId ?? '',
    sender_id: options.senderId ?? '',
    token: options.token,
  }
}

/** `Authorization: Bearer …` unless the token names its own scheme; any other header has the token alone. */
function authorization({ authHeader, token }: HttpOtpSenderOptions): Record<string, string> {
  if (authHeader === 'none') return {}
  const isBare = authHeader.toLowerCase() === 'authorization' && !token.includes(' ')
  return { [authHeader]: isBare ? `Bearer ${token}` : token }
}

/** As much of an answer as could say whether it worked; what goes on longer is cut off. */
async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  if (response.body === null) return ''
  for await (const chunk of response.body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MAX_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8')
}

function judge(status: number, text: string, successText: string | null): Answer<'sent'> {
  if (status < 200 || status > 299) return rejected(String(status), `the provider answered ${status}`)
  if (successText === null || text.includes(successText)) return value('sent')
  return rejected('not_confirmed', `the provider answered ${status}, but not with OTP_HTTP_SUCCESS`)
}

/** What fails before a connection stands: nothing was sent, so it may be sent again. */
const NOT_CONNECTED: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]

function failure(error: unknown): Answer<'sent'> {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return { kind: 'unknown', message: 'the provider did not answer in time' }
  }
  // Its words may quote the address, in which the phone may stand; its code cannot.
  const cause: unknown = error instanceof Error ? error.cause : undefined
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  const reason = typeof code === 'string' ? code : 'connection lost'
  if (NOT_CONNECTED.includes(code)) return { kind: 'retryable', message: `no connection: ${reason}` }
  return { kind: 'unknown', message: `the request broke: ${reason}` }
}
