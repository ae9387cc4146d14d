/** Why a webhook is not genuine, or that it is. */
export type SignatureResult =
  | { readonly kind: 'genuine'; readonly sentAt: Date }
  | { readonly kind: 'missing header'; readonly header: string }
  | { readonly kind: 'invalid timestamp' }
  | { readonly kind: 'invalid secret' }
  /** The signature is genuine, but receivers refuse a timestamp that is so far from their clock: it may be a copy. */
  | { readonly kind: 'too old' | 'too new'; readonly sentAt: Date; readonly awayMs: number }
  /** The signature is that of the same JSON in another form. */
  | { readonly kind: 'body rewritten' }
  | { readonly kind: 'body altered' }
  | { readonly kind: 'wrong secret' }
  | { readonly kind: 'wrong secret or body altered' }

export interface PastedWebhook {
  /** A header a line, or JSON. */
  readonly headers: string
  readonly body: string
  readonly secret: string
}

/** The same webhook as the service sent it. */
export type SentWebhook = Omit<PastedWebhook, 'secret'>

const TOLERANCE_MS = 300_000
const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
type SignedHeaders = Record<(typeof HEADERS)[number], string>

/** Checks a webhook by Standard Webhooks, with WebCrypto. Nothing leaves the page. */
export async function checkSignature(
  pasted: PastedWebhook,
  now: Date,
  sent: SentWebhook | null = null,
): Promise<SignatureResult> {
  const found = headersIn(pasted.headers)
  const missing = HEADERS.find(name => found.get(name) === undefined)
  if (missing !== undefined) return { kind: 'missing header', header: missing }
  const headers = Object.fromEntries(HEADERS.map(name => [name, found.get(name) ?? ''])) as SignedHeaders
  const { 'webhook-timestamp': timestamp } = headers
  if (!/^\d{1,12}$/.test(timestamp)) return { kind: 'invalid timestamp' }
  const key = await keyOf(pasted.secret)
  if (key === null) return { kind: 'invalid secret' }
  if (!(await isSigned(key, headers, pasted.body))) return whyNot(key, headers, pasted.body, sent)
  const sentAt = new Date(Number(timestamp) * 1_000)
  const awayMs = now.getTime() - sentAt.getTime()
  if (Math.abs(awayMs) <= TOLERANCE_MS) return { kind: 'genuine', sentAt }
  return { kind: awayMs > 0 ? 'too old' : 'too new', sentAt, awayMs: Math.abs(awayMs) }
}

/** The webhook as it was sent shows whether the secret is wrong or the body was altered. */
async function whyNot(
  key: CryptoKey,
  headers: SignedHeaders,
  body: string,
  sent: SentWebhook | null,
): Promise<SignatureResult> {
  for (const form of otherForms(body)) {
    if (await isSigned(key, headers, form)) return { kind: 'body rewritten' }
  }
  if (sent === null) return { kind: 'wrong secret or body altered' }
  return { kind: (await isSigned(key, headers, sent.body)) ? 'body altered' : 'wrong secret' }
}

/** What programs make of a body before they check it: they parse and write it again, or change how its lines end. */
function otherForms(body: string): string[] {
  const forms = [body.trim(), body.replaceAll('\r\n', '\n')]
  try {
    forms.push(JSON.stringify(JSON.parse(body)))
  } catch {
    // It is not JSON, so nobody can have written it again.
  }
  return [...new Set(forms)].filter(form => form !== body)
}

/** The names are in lower case. */
function headersIn(text: string): ReadonlyMap<string, string> {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) {
      return new Map(
        Object.entries(parsed).map(([name, value]) => [name.toLowerCase(), String(value).trim()]),
      )
    }
  } catch {
    // It is not JSON: a header a line.
  }
  return new Map(
    text.split('\n').flatMap(line => {
      const [, name, value] = /^\s*"?([\w-]+)"?\s*[:=]\s*"?(.*?)"?,?\s*$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value] as const]
    }),
  )
}

async function keyOf(secret: string): Promise<CryptoKey | null> {
  const bytes = bytesOf(secret.trim().replace(/^whsec_/, ''))
  if (bytes === null || bytes.length === 0) return null
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))
  } catch {
    return null
  }
}

/** While a secret is replaced, there are two signatures. */
async function isSigned(key: CryptoKey, headers: SignedHeaders, body: string): Promise<boolean> {
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const content = new TextEncoder().encode(text)
  for (const signature of headers['webhook-signature'].split(' ')) {
    const [version, base64 = ''] = signature.split(',')
    const bytes = version === 'v1' ? bytesOf(base64) : null
    if (bytes !== null && (await crypto.subtle.verify('HMAC', key, bytes, content))) return true
  }
  return false
}
