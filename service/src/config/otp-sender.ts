import type { HttpSenderOptions } from '../gateways/http-senders.ts'
import {
  type JsonValue,
  namesIn,
  type OtpBodyTemplate,
  PLACEHOLDERS,
  type Placeholder,
} from '../gateways/otp-template.ts'
import type { EnvReader } from './env-reader.ts'
import { anyText, isOfThisMachine, matching, oneOf, type ValueKind } from './env-values.ts'

export type OtpSenderConfig = { readonly kind: 'sandbox' } | ({ readonly kind: 'http' } & HttpSenderOptions)

const KNOWN: readonly string[] = PLACEHOLDERS

const DEFAULT_BODY = {
  json: '{"phone":"{phone91}","code":"{code}","minutes":"{minutes}"}',
  form: 'phone={phone91}&code={code}&minutes={minutes}',
  none: '',
}

const headerName = matching(/^[A-Za-z0-9-]{1,64}$/, 'the name of a header, or none')
/** TRAI's register of senders (DLT) has ids of up to 19 digits for companies and templates, and short sender names. */
export const dltId = matching(/^\d{6,25}$/, 'an id of the DLT register: digits only')
const dltSender = matching(/^[A-Za-z0-9]{3,11}$/, 'a registered sender id of 3 to 11 letters or digits')

/**
 * How one-time codes are sent. The configuration describes a provider's request completely, so no provider needs code.
 */
export function readOtpSender(reader: EnvReader, live: boolean): OtpSenderConfig {
  const kind = reader.read('OTP_SENDER', oneOf(['sandbox', 'http']), 'sandbox')
  if (kind === 'sandbox' && !live) return { kind }
  if (kind === 'sandbox') reader.problem('OTP_SENDER', 'must be a real sender in live mode: http')
  const method = reader.read('OTP_HTTP_METHOD', oneOf(['POST', 'PUT', 'GET']), 'POST')
  const sender = {
    kind: 'http',
    method,
    url: reader.need('OTP_HTTP_URL', addressTemplate(live), ''),
    token: reader.need('OTP_HTTP_TOKEN', anyText, ''),
    authHeader: reader.read('OTP_HTTP_AUTH_HEADER', headerName, 'authorization'),
    ...readBody(reader, method),
    successText: reader.read<string | null>('OTP_HTTP_SUCCESS', anyText, null),
    entityId: reader.read<string | null>('OTP_DLT_ENTITY_ID', dltId, null),
    templateId: reader.read<string | null>('OTP_DLT_TEMPLATE_ID', dltId, null),
    senderId: reader.read<string | null>('OTP_DLT_SENDER_ID', dltSender, null),
  } as const
  checkPlaceholders(reader, sender)
  const { bodyText: _read, ...options } = sender
  return options
}

/**
 * An address that may contain placeholders, because some providers expect values there. A sandbox, in which anyone may
 * request codes, reaches no real provider, only a simulation on this machine.
 */
export function addressTemplate(live: boolean): ValueKind<string> {
  const isProvider = (address: URL) => address.protocol === 'https:'
  const standsIn = (address: URL) =>
    ['http:', 'https:'].includes(address.protocol) && isOfThisMachine(address)
  return {
    expected: live
      ? 'an address beginning with https://'
      : 'an address of this machine, such as http://127.0.0.1:9000/: a sandbox sends no real text messages',
    parse: text => {
      const parsed = URL.parse(text)
      if (parsed === null || `${parsed.username}${parsed.password}${parsed.hash}` !== '') return undefined
      return (live ? isProvider(parsed) : standsIn(parsed)) ? text : undefined
    },
  }
}

function readBody(
  reader: EnvReader,
  method: 'POST' | 'PUT' | 'GET',
): { readonly body: OtpBodyTemplate; readonly bodyText: string } {
  // A GET has no body, so all values are in the address.
  const formats = method === 'GET' ? oneOf(['none']) : oneOf(['json', 'form', 'none'])
  const format = reader.read<'json' | 'form' | 'none'>(
    'OTP_HTTP_FORMAT',
    formats,
    method === 'GET' ? 'none' : 'json',
  )
  const bodyText = reader.read('OTP_HTTP_BODY', anyText, DEFAULT_BODY[format])
  return { bodyText, body: bodyTemplate(reader, 'OTP_HTTP_BODY', format, bodyText) }
}

/** The body that a variable describes in this format. */
export function bodyTemplate(
  reader: EnvReader,
  variable: string,
  format: OtpBodyTemplate['format'],
  text: string,
  formatVariable = 'OTP_HTTP_FORMAT',
): OtpBodyTemplate {
  switch (format) {
    case 'json': {
      const template = jsonObject(text)
      if (template === undefined) reader.problem(variable, `must be a JSON object, or ${formatVariable} form`)
      return { format, template: template ?? null }
    }
    case 'form':
      return { format, fields: [...new URLSearchParams(text)] }
    case 'none':
      if (text !== '') reader.problem(variable, 'must be absent when OTP_HTTP_FORMAT is none')
      return { format }
  }
}

function jsonObject(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The variable that each DLT placeholder needs. */
const VARIABLE_OF: Partial<Record<Placeholder, string>> = {
  entity_id: 'OTP_DLT_ENTITY_ID',
  template_id: 'OTP_DLT_TEMPLATE_ID',
  sender_id: 'OTP_DLT_SENDER_ID',
}

interface Described extends HttpSenderOptions {
  readonly bodyText: string
}

function checkPlaceholders(reader: EnvReader, sender: Described): void {
  const { url, bodyText, authHeader } = sender
  for (const [variable, text] of [
    ['OTP_HTTP_URL', url],
    ['OTP_HTTP_BODY', bodyText],
  ] as const) {
    const unknown = namesIn(text).filter(name => !KNOWN.includes(name))
    const known = KNOWN.map(name => `{${name}}`).join(' ')
    if (unknown.length > 0) reader.problem(variable, `must have no other placeholders than ${known}`)
  }
  const used = new Set([...namesIn(url), ...namesIn(bodyText)])
  if (!used.has('code') || !(used.has('phone') || used.has('phone91'))) {
    reader.problem('OTP_HTTP_BODY', 'must contain {code}, and {phone} or {phone91}, unless OTP_HTTP_URL does')
  }
  if (authHeader === 'none' && !used.has('token')) {
    reader.problem('OTP_HTTP_AUTH_HEADER', 'must be a header unless the body or the address contains {token}')
  }
  const given = { entity_id: sender.entityId, template_id: sender.templateId, sender_id: sender.senderId }
  for (const name of ['entity_id', 'template_id', 'sender_id'] as const) {
    const variable = VARIABLE_OF[name] ?? name
    if (used.has(name) && given[name] === null) reader.problem(variable, `is missing; {${name}} is asked for`)
  }
}
