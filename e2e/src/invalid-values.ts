/** JSON text that `jsonText` inserts unchanged. */
export interface Raw {
  readonly raw: string
}

export function raw(text: string): Raw {
  return { raw: text }
}

function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'raw'
}

/** A body as JSON text with raw parts: an attacker can write what JSON.stringify cannot. */
export function jsonText(value: unknown): string {
  if (isRaw(value)) return value.raw
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${jsonText(inner)}`)
  return `{${fields.join(',')}}`
}

/** The parts of a JSON schema that are needed to make an invalid value. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** Values that are invalid for the schema, by their fault. */
export function invalidValues(schema: Schema): Record<string, unknown> {
  const nullable = [schema.type].flat().includes('null')
  const kind = [schema.type].flat().find(type => type !== 'null')
  return { ...(nullable ? {} : { null: null }), ...misfitsOf(kind, schema) }
}

function misfitsOf(kind: string | undefined, schema: Schema): Record<string, unknown> {
  switch (kind) {
    case 'string':
      return { ...wrongTypes('a string'), ...badTexts(schema) }
    case 'number':
      return { ...wrongTypes('a number'), ...badNumbers(schema), 'minus zero': raw('-0') }
    case 'integer':
      return { ...wrongTypes('a number'), 'a fraction': 1.5, ...badNumbers(schema) }
    case 'boolean':
      return { ...wrongTypes('a boolean'), 'the text true': 'true', zero: 0 }
    case 'array':
      return { ...wrongTypes('an array'), ...badLists(schema) }
    default:
      return {}
  }
}

function wrongTypes(but: string): Record<string, unknown> {
  const all = {
    'a string': '10',
    'a number': 10,
    'a boolean': true,
    'an array': [],
    'an object': {},
    'an object with a length': { length: 3, 0: 'a' },
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== but))
}

function badTexts(schema: Schema): Record<string, unknown> {
  const texts: Record<string, unknown> = {
    'a NUL': 'abc\u0000def',
    'an escape character': 'abc\u001bdef',
    'a line break': 'abc\ndef',
    'a delete character': 'abc\u007f',
    'a C1 control character': 'abc\u0085',
    'half a surrogate pair': raw('"abc\\ud800"'),
    'the other half': raw('"\\udc00abc"'),
    'a wrong escape': raw('"\\x41"'),
    'too many characters': 'a'.repeat((schema.maxLength ?? 100) + 1),
    'far too many characters': 'é'.repeat(20_000),
  }
  if (schema.format === 'multi-line') delete texts['a line break']
  else texts['a mark that turns the direction'] = 'abc\u202edef'
  if (schema.minLength !== undefined || schema.pattern !== undefined) texts['no character'] = ''
  if (isForm(schema)) {
    texts['a look-alike letter'] = 'rеsеarсhеr'
    texts['full-width digits'] = '９８７６５４３２１０'
    texts.SQL = "x'); drop table agents; --"
    texts['spaces around'] = ' abc '
  }
  return texts
}

/** Whether a text has a required format: an id, an enum, a number as text. Names have none. */
function isForm({ pattern = '\\S', enum: values, format }: Schema): boolean {
  return pattern !== '\\S' || values !== undefined || format === 'email'
}

function badNumbers(schema: Schema): Record<string, unknown> {
  const numbers: Record<string, unknown> = {
    'minus one': -1,
    // A time may have any precision.
    ...(schema.type !== 'number' || schema.format === 'inr'
      ? { 'three decimals': 10.001, 'a tiny number': raw('1e-300') }
      : {}),
    'decimals that get lost': raw('10.0000000000000001'),
    'more than a double holds': raw('1e400'),
    'as far below': raw('-1e400'),
    'more than the maximum': (schema.maximum ?? 0) + 1,
    'a great number': raw('99999999999999999999999999999999'),
    NaN: raw('NaN'),
    Infinity: raw('Infinity'),
    'a hexadecimal number': raw('0x10'),
    'a leading zero': raw('010'),
    'a leading plus': raw('+10'),
    'a bare point': raw('10.'),
    'an underscore': raw('1_000'),
  }
  if ((schema.exclusiveMinimum ?? schema.minimum ?? -1) > 0 || schema.exclusiveMinimum === 0) numbers.zero = 0
  return numbers
}

function badLists(schema: Schema): Record<string, unknown> {
  return {
    'a list of numbers': [1],
    'a list of nothing': [null],
    'a list in a list': [[]],
    ...(schema.items && isForm(schema.items) ? { 'a list of SQL': ["'; drop table agents; --"] } : {}),
    'an entry twice': ['agt_01kb7q3f8meg5tz4x9wc2n6a01', 'agt_01kb7q3f8meg5tz4x9wc2n6a01'],
    'too many entries': Array.from({ length: (schema.maxItems ?? 1000) + 1 }, (_, index) => `x${index}`),
  }
}

/** Bodies that are not a JSON object, for every route. */
export const NOT_AN_OBJECT: Readonly<Record<string, string | Uint8Array>> = {
  'nothing but a bracket': '{',
  'a truncated object': '{"name":"Asha',
  'an array': '[]',
  'an array of an object': '[{}]',
  'a string': '"name"',
  'a number': '1',
  null: 'null',
  true: 'true',
  'a trailing comma': '{"a":1,}',
  'a comment': '{/* hello */}',
  'single quotes': "{'name':'Asha'}",
  'two values': '{}{}',
  'a byte order mark': '\ufeff{}',
  'bytes that are not UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  'an overlong encoding': Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
  'a surrogate in UTF-8': Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  'UTF-16': Buffer.from('{"name":"Asha"}', 'utf16le'),
  'a NUL byte': '\u0000',
  'deep brackets': '['.repeat(30_000),
  'deep closed brackets': `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
  'deep objects': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  'a form': 'name=Asha&amount=1',
  XML: '<name>Asha</name>',
}
