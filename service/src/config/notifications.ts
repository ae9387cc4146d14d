import type { HttpTextSenderOptions } from '../gateways/http-senders.ts'
import { namesIn } from '../gateways/otp-template.ts'
import type { EnvReader } from './env-reader.ts'
import { anyText, matching, oneOf, phones } from './env-values.ts'
import { addressTemplate, bodyTemplate } from './otp-sender.ts'

/** The messages to owners about what happened, for example by WhatsApp, Telegram or Slack. */
export interface NotificationsConfig {
  readonly sender:
    | { readonly kind: 'none' }
    | { readonly kind: 'sandbox' }
    | ({ readonly kind: 'http' } & HttpTextSenderOptions)
  /** The only phones that have them, because they all go to one place of theirs; null: all. */
  readonly phones: readonly string[] | null
}

const DEFAULT_BODY = {
  json: '{"phone":"{phone91}","text":"{text} {url}"}',
  form: 'phone={phone91}&text={text} {url}',
}

const KNOWN = ['phone', 'phone91', 'text', 'url', 'kind', 'token']

const headerName = matching(/^[A-Za-z0-9-]{1,64}$/, 'the name of a header, or none')

/** Without an address, live mode sends none, and a sandbox shows them in place of a phone. */
export function readNotifications(reader: EnvReader, live: boolean): NotificationsConfig {
  const url = reader.read<string | null>('NOTIFY_HTTP_URL', addressTemplate(live), null)
  const token = reader.read('NOTIFY_HTTP_TOKEN', anyText, '')
  const authHeader = reader.read('NOTIFY_HTTP_AUTH_HEADER', headerName, 'authorization')
  const format = reader.read('NOTIFY_HTTP_FORMAT', oneOf(['json', 'form']), 'json')
  const bodyText = reader.read('NOTIFY_HTTP_BODY', anyText, DEFAULT_BODY[format])
  const successText = reader.read<string | null>('NOTIFY_HTTP_SUCCESS', anyText, null)
  const given = reader.read<readonly string[] | null>('NOTIFY_PHONES', phones, null)
  const body = bodyTemplate(reader, 'NOTIFY_HTTP_BODY', format, bodyText, 'NOTIFY_HTTP_FORMAT')
  if (url === null) return { sender: { kind: live ? 'none' : 'sandbox' }, phones: given }
  checkPlaceholders(reader, { url, bodyText, token }, given)
  const ids = { entityId: null, templateIds: {}, senderId: null }
  const sender = {
    kind: 'http',
    method: 'POST',
    url,
    token,
    // A place such as an incoming webhook of Slack has its secret in the address.
    authHeader: token === '' || namesIn(`${url}${bodyText}`).includes('token') ? 'none' : authHeader,
    body,
    successText,
    ...ids,
  } as const
  return { sender, phones: given }
}

interface Described {
  readonly url: string
  readonly bodyText: string
  readonly token: string
}

function checkPlaceholders(
  reader: EnvReader,
  { url, bodyText, token }: Described,
  given: readonly string[] | null,
): void {
  for (const [variable, text] of [
    ['NOTIFY_HTTP_URL', url],
    ['NOTIFY_HTTP_BODY', bodyText],
  ] as const) {
    const isKnown = namesIn(text).every(name => KNOWN.includes(name))
    const known = KNOWN.map(name => `{${name}}`).join(' ')
    if (!isKnown) reader.problem(variable, `must have no other placeholders than ${known}`)
  }
  const used = new Set([...namesIn(url), ...namesIn(bodyText)])
  if (!used.has('text') || !used.has('url')) {
    reader.problem('NOTIFY_HTTP_BODY', 'must contain {text} and {url}')
  }
  if (used.has('token') && token === '') {
    reader.problem('NOTIFY_HTTP_TOKEN', 'is missing; {token} is asked for')
  }
  if (!used.has('phone') && !used.has('phone91') && given === null) {
    const message =
      'is missing; without {phone} or {phone91} all messages go to one place: name the phones of those who read it'
    reader.problem('NOTIFY_PHONES', message)
  }
}
