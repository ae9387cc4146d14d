import type { ErrorObject } from 'ajv'

export interface InvalidField {
  /** Dotted path of the field, '' for the value as a whole. */
  readonly field: string
  /** What is wrong and what to send instead. */
  readonly message: string
}

/** Describes the errors of a validator. `errors` come from one value with `verbose` and without `allErrors`. */
export function describeInvalid(errors: readonly ErrorObject[]): InvalidField {
  const error = mostUseful(errors)
  if (error === undefined) return { field: '', message: 'The request is not valid' }
  const field = pathOf(error)
  const name = field === '' ? 'The body' : field
  return { field, message: `${name} ${complaint(error, errors)}` }
}

/** A failed union reports each branch and then itself; the error of the first branch is the most useful. */
function mostUseful(errors: readonly ErrorObject[]): ErrorObject | undefined {
  return errors.find(error => error.keyword !== 'const') ?? errors[0]
}

function pathOf(error: ErrorObject): string {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer)
  const child = childOf(error)
  return shortened((child === undefined ? path : [...path, child]).join('.'))
}

const LONGEST_NAME = 200

/** A field's name as a response repeats it: a caller may send one as long as a body. */
export function shortened(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function childOf(error: ErrorObject): string | undefined {
  const named =
    error.params['missingProperty'] ??
    error.params['additionalProperty'] ??
    error.params['unevaluatedProperty']
  return typeof named === 'string' ? named : undefined
}

const FORMAT_NEEDS: Record<string, string> = {
  inr: 'must be an amount in INR with at most two decimals',
  date: 'must be a date, such as 2026-11-20',
  'date-time': 'must be an ISO 8601 time with its offset, such as 2026-11-20T10:15:30.000Z',
  'date-or-timestamp': 'must be a date (2026-11-20) or a time with its offset (2026-11-20T10:15:30.000Z)',
  'single-line':
    'must be well-formed text without line breaks, control characters or marks that turn its direction',
  'visible-line':
    'must be well-formed text with at least one visible character and without line breaks, control characters or marks that turn its direction',
  'multi-line': 'must be well-formed text without control characters',
  email: 'must be an e-mail address',
}

function complaint(error: ErrorObject, errors: readonly ErrorObject[]): string {
  const params = error.params
  switch (error.keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownField(Object.keys(error.parentSchema?.['properties'] ?? {}), childOf(error))
    case 'type':
      return typeComplaint(error)
    case 'format':
      return FORMAT_NEEDS[String(params['format'])] ?? `must have the format ${String(params['format'])}`
    case 'enum':
      return `must be one of ${listed(params['allowedValues'])}`
    case 'const':
    case 'anyOf':
    case 'oneOf':
      return unionComplaint(errors)
    default:
      return boundComplaint(error)
  }
}

/** The message for a field that the schema does not name. */
export function unknownField(known: readonly string[], name?: string): string {
  if (name === 'idempotency_key') {
    return 'is not a field of this request; send the key as the header Idempotency-Key, which every POST takes'
  }
  const remedy = known.length === 0 ? 'it takes none' : `remove it (it takes ${known.join(', ')})`
  return `is not a field of this request; ${remedy}`
}

function typeComplaint(error: ErrorObject): string {
  if (typeof error.data === 'number' && !Number.isFinite(error.data)) {
    return 'must be a number that is kept exactly, with at most two decimals'
  }
  const wanted: unknown = error.params['type']
  if (wanted === 'integer' && typeof error.data === 'number') return 'must be a whole number'
  const names = Array.isArray(wanted) ? wanted.join(' or ') : String(wanted)
  return `must be ${names === 'null' ? 'null' : withArticle(names)}, not ${kindOf(error.data)}`
}

function withArticle(name: string): string {
  return /^[aio]/.test(name) ? `an ${name}` : `a ${name}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : withArticle(typeof value)
}

function unionComplaint(errors: readonly ErrorObject[]): string {
  const values = errors.filter(error => error.keyword === 'const').map(error => error.params['allowedValue'])
  return values.length > 0 ? `must be one of ${listed(values)}` : 'has a form that this route does not take'
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map(value => String(value)).join(', ') : String(values)
}

function boundComplaint(error: ErrorObject): string {
  const limit = String(error.params['limit'])
  switch (error.keyword) {
    case 'minimum':
      return `must be at least ${limit}`
    case 'exclusiveMinimum':
      return `must be more than ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'exclusiveMaximum':
      return `must be less than ${limit}`
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return `must have at least ${limit} ${limit === '1' ? 'entry' : 'entries'}`
    case 'maxItems':
      return `must have at most ${limit} entries`
    case 'uniqueItems':
      return 'must not hold an entry twice'
    case 'pattern':
      return patternComplaint(error)
    default:
      return error.message ?? 'is not valid'
  }
}

/** A text that does not match its pattern: the message quotes the description and the example of the field. */
function patternComplaint(error: ErrorObject): string {
  const example: unknown = error.parentSchema?.['examples']
  const description: unknown = error.parentSchema?.['description']
  const shown = Array.isArray(example) && typeof example[0] === 'string' ? `, such as ${example[0]}` : ''
  const rule = typeof description === 'string' ? `: ${description.replace(/\.$/, '')}` : ''
  return `does not have the right form${shown}${rule}`
}
