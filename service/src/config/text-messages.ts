import type { HttpTextSenderOptions } from '../gateways/http-senders.ts'
import {
  APP_VARIABLES,
  BANK_ACCOUNT_VARIABLES,
  namesIn,
  PASSKEY_VARIABLES,
} from '../gateways/otp-template.ts'
import type { EnvReader } from './env-reader.ts'
import { anyText } from './env-values.ts'
import { addressTemplate, bodyTemplate, dltId, type OtpSenderConfig } from './otp-sender.ts'

/** The text messages to owners about their accounts: their sender and their texts. */
export interface TextMessagesConfig {
  readonly texts: { readonly bankAccount: string; readonly passkey: string; readonly app: string }
  readonly sender: { readonly kind: 'sandbox' } | ({ readonly kind: 'http' } & HttpTextSenderOptions)
}

const DEFAULT_BANK_ACCOUNT_TEXT =
  'Batua: from {effective_at} payouts go to your bank account ending {last4}. Was that not you? Ask the platform of your agents to cancel it.'

const DEFAULT_PASSKEY_TEXT =
  'Batua: from {effective_at} a passkey is {change} for your login. Was that not you? Log in at {url} and undo it under Safety.'

const DEFAULT_APP_TEXT =
  'Batua: from {effective_at} a connected app may spend up to INR {daily} a day from your agent {agent}. Was that not you? Log in at {url} and disconnect it under Safety.'

const DEFAULT_BODY = {
  json: '{"phone":"{phone91}","text":"{text}"}',
  form: 'phone={phone91}&text={text}',
  none: '',
}

const KNOWN = [
  ...['phone', 'phone91', 'text'],
  ...new Set([...BANK_ACCOUNT_VARIABLES, ...PASSKEY_VARIABLES, ...APP_VARIABLES]),
]
const OF_REGISTER = ['entity_id', 'template_id', 'sender_id', 'token']

/** These messages use the provider of one-time codes, with a separate address, body and registered template. */
export function readTextMessages(
  reader: EnvReader,
  otpSender: OtpSenderConfig,
  live: boolean,
): TextMessagesConfig {
  const texts = {
    bankAccount: readText(reader, 'SMS_BANK_ACCOUNT_TEXT', DEFAULT_BANK_ACCOUNT_TEXT, BANK_ACCOUNT_VARIABLES),
    passkey: readText(reader, 'SMS_PASSKEY_TEXT', DEFAULT_PASSKEY_TEXT, PASSKEY_VARIABLES),
    app: readText(reader, 'SMS_APP_TEXT', DEFAULT_APP_TEXT, APP_VARIABLES),
  }
  if (otpSender.kind === 'sandbox') return { texts, sender: otpSender }
  const { format } = otpSender.body
  const givenUrl = reader.read<string | null>('SMS_HTTP_URL', addressTemplate(live), null)
  const givenBody = reader.read<string | null>('SMS_HTTP_BODY', anyText, null)
  const url = givenUrl ?? otpSender.url
  // A provider that needs a custom body for codes needs one for these messages too.
  const needsBody = live && reader.read<string | null>('OTP_HTTP_BODY', anyText, null) !== null
  if (needsBody && givenBody === null && givenUrl === null) {
    reader.problem('SMS_HTTP_BODY', 'is missing; OTP_HTTP_BODY describes the body of codes only')
  }
  const bodyText = givenBody ?? DEFAULT_BODY[format]
  const { templateId: _ofCodes, ...provider } = otpSender
  const sender = {
    ...provider,
    url,
    body: bodyTemplate(reader, 'SMS_HTTP_BODY', format, bodyText),
    templateIds: {
      bank_account: reader.read<string | null>('SMS_DLT_BANK_ACCOUNT_TEMPLATE_ID', dltId, null),
      passkey: reader.read<string | null>('SMS_DLT_PASSKEY_TEMPLATE_ID', dltId, null),
      app: reader.read<string | null>('SMS_DLT_APP_TEMPLATE_ID', dltId, null),
    },
  }
  const isChecked = live || givenUrl !== null || givenBody !== null
  if (isChecked && otpSender.url !== '') checkPlaceholders(reader, sender, bodyText)
  return { texts, sender }
}

/** A text with the first of its placeholders, without which it would say nothing, and no unknown ones. */
function readText(
  reader: EnvReader,
  variable: string,
  standard: string,
  names: readonly [string, ...string[]],
): string {
  const text = reader.read(variable, anyText, standard)
  const [first] = names
  if (!text.includes(`{${first}}`) || !namesIn(text).every(name => names.includes(name))) {
    const known = names.map(name => `{${name}}`).join(' ')
    reader.problem(variable, `must contain {${first}}, and no other placeholders than ${known}`)
  }
  return text
}

function checkPlaceholders(reader: EnvReader, sender: HttpTextSenderOptions, bodyText: string): void {
  const all = [...KNOWN, ...OF_REGISTER]
  const known = all.map(name => `{${name}}`).join(' ')
  for (const [variable, text] of [
    ['SMS_HTTP_URL', sender.url],
    ['SMS_HTTP_BODY', bodyText],
  ] as const) {
    const isKnown = namesIn(text).every(name => all.includes(name))
    if (!isKnown) reader.problem(variable, `must have no other placeholders than ${known}`)
  }
  const used = new Set([...namesIn(sender.url), ...namesIn(bodyText)])
  const says = used.has('text') || ['last4', 'change', 'agent'].every(name => used.has(name))
  if (!says || !(used.has('phone') || used.has('phone91'))) {
    const message =
      'must contain {text}, or {last4}, {change} and {agent}, and {phone} or {phone91}, unless SMS_HTTP_URL does'
    reader.problem('SMS_HTTP_BODY', message)
  }
  if (!used.has('template_id')) return
  for (const [variable, id] of [
    ['SMS_DLT_BANK_ACCOUNT_TEMPLATE_ID', sender.templateIds.bank_account],
    ['SMS_DLT_PASSKEY_TEMPLATE_ID', sender.templateIds.passkey],
    ['SMS_DLT_APP_TEMPLATE_ID', sender.templateIds.app],
  ] as const) {
    if (id === null) reader.problem(variable, 'is missing; {template_id} is asked for')
  }
}
