import { setTimeout as delay } from 'node:timers/promises'
import { type GatewayResult, rejected, value } from './gateway-result.ts'
import type { OtpSender, TextSender, TextTemplate } from './message-senders.ts'
import { fillIn, type OtpRequestTemplate, type Placeholders } from './otp-template.ts'
import { noResponse, readAtMost } from './outgoing-http.ts'

/** The request that a provider of text messages expects (in India TRAI's DLT rules require the three ids). */
export interface HttpSenderOptions extends OtpRequestTemplate {
  readonly token: string
  /** `none`: the token goes in a placeholder. */
  readonly authHeader: string
  readonly entityId: string | null
  readonly templateId: string | null
  readonly senderId: string | null
  /** A text that a response must contain to count as sent, besides a 2xx status; null: none. */
  readonly successText: string | null
}

/** The same for text messages, of which each has a registered template of its own. */
export interface HttpTextSenderOptions extends Omit<HttpSenderOptions, 'templateId'> {
  readonly templateIds: Readonly<Partial<Record<TextTemplate, string | null>>>
}

export interface HttpSenderTiming {
  readonly timeoutMs?: number
  /** Milliseconds between the two attempts to connect. */
  readonly pause?: () => Promise<void>
}

const TIMEOUT_MS = 10_000
const RETRY_AFTER_MS = 250
const MAX_RESPONSE_BYTES = 64 * 1024

/** Posts codes to a provider over HTTP. */
export function createHttpOtpSender(options: HttpSenderOptions, timing: HttpSenderTiming = {}): OtpSender {
  return {
    name: 'http',
    send: ({ phone, code, validMinutes }) =>
      sendOverHttp(options, { phone, phone91: `91${phone}`, code, minutes: String(validMinutes) }, timing),
  }
}

/** Sends a message, and once more when nothing was sent. It follows no redirect, which would send it to another host. */
export async function sendOverHttp(
  options: HttpSenderOptions,
  values: Placeholders,
  { timeoutMs = TIMEOUT_MS, pause = () => delay(RETRY_AFTER_MS) }: HttpSenderTiming,
): Promise<GatewayResult<'sent'>> {
  const first = await attempt(options, values, timeoutMs)
  if (first.kind !== 'retryable') return first
  await pause()
  return attempt(options, values, timeoutMs)
}

async function attempt(
  options: HttpSenderOptions,
  values: Placeholders,
  timeoutMs: number,
): Promise<GatewayResult<'sent'>> {
  const request = fillIn(options, { ...values, ...placeholders(options) })
  try {
    const response = await fetch(request.url, {
      method: options.method,
      headers: { ...request.headers, ...authorization(options) },
      body: request.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { text } = await readAtMost(response, MAX_RESPONSE_BYTES)
    return resultOf(response.status, text, options.successText)
  } catch (error) {
    return noResponse(error)
  }
}

function placeholders(options: HttpSenderOptions): Placeholders {
  return {
    entity_id: options.entityId ?? '',
    template_id: options.templateId ?? '',
    sender_id: options.senderId ?? '',
    token: options.token,
  }
}

/** `Authorization: Bearer …` unless the token names its own scheme; any other header has the token alone. */
function authorization({ authHeader, token }: HttpSenderOptions): Record<string, string> {
  if (authHeader === 'none') return {}
  const isBare = authHeader.toLowerCase() === 'authorization' && !token.includes(' ')
  return { [authHeader]: isBare ? `Bearer ${token}` : token }
}

function resultOf(status: number, text: string, successText: string | null): GatewayResult<'sent'> {
  if (status < 200 || status > 299) return rejected(String(status), `the provider returned ${status}`)
  if (successText === null || text.includes(successText)) return value('sent')
  return rejected('not_confirmed', `the provider returned ${status}, but not with the text that confirms it`)
}

/** Posts text messages to a provider over HTTP, as the sender of one-time codes does. */
export function createHttpTextSender(
  { templateIds, ...options }: HttpTextSenderOptions,
  timing: HttpSenderTiming = {},
): TextSender {
  return {
    name: 'http',
    send: ({ phone, template, text, variables }) =>
      sendOverHttp(
        { ...options, templateId: templateIds[template] ?? null },
        { ...variables, phone, phone91: `91${phone}`, text },
        timing,
      ),
  }
}
