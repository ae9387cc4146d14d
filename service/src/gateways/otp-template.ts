/** The request template of a provider, with `{placeholders}`. */
export interface OtpRequestTemplate {
  readonly method: 'POST' | 'PUT' | 'GET'
  readonly url: string
  readonly body: OtpBodyTemplate
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }

export type OtpBodyTemplate =
  | { readonly format: 'json'; readonly template: JsonValue }
  | { readonly format: 'form'; readonly fields: readonly (readonly [name: string, template: string])[] }
  | { readonly format: 'none' }

/** The placeholders of the text about a changed bank account. */
export const BANK_ACCOUNT_VARIABLES = ['last4', 'effective_at', 'url'] as const

/** The placeholders of the text about a passkey that is added or removed. */
export const PASSKEY_VARIABLES = ['change', 'effective_at', 'url'] as const

/** The placeholders of the text about an app that is connected. */
export const APP_VARIABLES = ['agent', 'daily', 'effective_at', 'url'] as const

/** The placeholders of the template of a one-time code. */
export const PLACEHOLDERS = [
  'phone',
  'phone91',
  'code',
  'minutes',
  'entity_id',
  'template_id',
  'sender_id',
  'token',
] as const

export type Placeholder = (typeof PLACEHOLDERS)[number]

/** The value of each placeholder. */
export type Placeholders = Readonly<Record<string, string>>

export interface FilledRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

const NAME_IN_BRACES = /\{([a-z0-9_]+)\}/g

/** The names in braces in a text, known or not. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(NAME_IN_BRACES)].map(([, name = '']) => name)
}

/** A request with its placeholders filled in, each part in its own encoding, so that no value can add further parts. */
export function fillIn({ url, body }: OtpRequestTemplate, values: Placeholders): FilledRequest {
  const address = put(url, values, encodeURIComponent)
  switch (body.format) {
    case 'json':
      return {
        url: address,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(putJson(body.template, values)),
      }
    case 'form': {
      const fields = body.fields.map(([name, template]) => [name, put(template, values)])
      return {
        url: address,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      }
    }
    case 'none':
      return { url: address, headers: {}, body: null }
  }
}

/** Replaces in one pass, so that braces in a value are not replaced. */
function put(text: string, values: Placeholders, encode = (value: string) => value): string {
  return text.replace(NAME_IN_BRACES, (whole: string, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return value === undefined ? whole : encode(value)
  })
}

function putJson(template: JsonValue, values: Placeholders): JsonValue {
  if (typeof template === 'string') return put(template, values)
  if (Array.isArray(template)) return template.map(item => putJson(item, values))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(
    Object.entries(template).map(([name, item]) => [put(name, values), putJson(item, values)]),
  )
}
