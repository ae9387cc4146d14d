import { FORMATS, type Route } from '@batua/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TObject, TSchema } from 'typebox'
import { AppError } from '../../kernel/app-error.ts'
import { closedSchema } from './closed-schema.ts'
import { describeInvalid, type InvalidField, shortened, unknownField } from './invalid-field.ts'
import { checkPlainNumber } from './query-text.ts'

/** Returns when a value fits its schema; otherwise throws `validation_error` that names the field. */
export type Check = (value: unknown) => void

const COMMON = { strict: true, allowUnionTypes: true, verbose: true, formats: FORMATS } as const

// Bodies: nothing is coerced, defaulted or removed.
const bodies = new Ajv2020({ ...COMMON })
// Addresses are text: "20" is read as a number, and absent fields get their defaults.
const addresses = new Ajv2020({ ...COMMON, coerceTypes: true, useDefaults: true })

export function bodyCheck(schema: TSchema): Check {
  const closed = closedSchema(schema)
  const validate = bodies.compile(closed)
  let fields: readonly FieldCheck[] | undefined
  return value => {
    if (value === undefined) {
      throw new AppError('validation_error', 'This route needs a JSON body; send one as application/json')
    }
    if (validate(value)) return
    fields ??= fieldChecksOf(closed)
    throw invalid(describeInvalid(validate.errors ?? []), invalidFieldsIn(value, fields))
  }
}

/** The check of one field of a body, so that an error lists all wrong fields. */
interface FieldCheck {
  readonly name: string
  readonly validate: ValidateFunction
}

function fieldChecksOf({ properties, required }: Record<string, unknown>): FieldCheck[] {
  const needed = Array.isArray(required) ? required : []
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    validate: bodies.compile({
      type: 'object',
      properties: { [name]: schema },
      ...(needed.includes(name) ? { required: [name] } : {}),
    }),
  }))
}

/** The errors of all fields that the schema names, and of the fields that it does not name. */
function invalidFieldsIn(value: unknown, fields: readonly FieldCheck[]): InvalidField[] {
  if (fields.length === 0 || typeof value !== 'object' || value === null) return []
  const names = fields.map(({ name }) => name)
  const wrong = fields.filter(({ validate }) => !validate(value))
  const unknown = Object.keys(value).filter(name => !names.includes(name))
  return [
    ...wrong.map(({ validate }) => describeInvalid(validate.errors ?? [])),
    ...unknown.slice(0, MAX_LISTED).map(field => ({
      field: shortened(field),
      message: `${shortened(field)} ${unknownField(names, field)}`,
    })),
  ]
}

/** The maximum number of wrong fields that an error lists. */
const MAX_LISTED = 20

const NOTHING = { type: 'object', additionalProperties: false }

/** For routes without a body: nothing or `{}` passes, a field is refused rather than ignored. */
export function noBodyCheck(): Check {
  const check = checkWith(bodies.compile(NOTHING))
  return value => {
    if (value !== undefined) check(value)
  }
}

/** For parameters and query strings; it changes the value to the types that the schema names. */
export function addressCheck(schema: TObject): Check {
  const check = checkWith(addresses.compile(closedSchema(schema)))
  const numbers = Object.entries(schema.properties).flatMap(([name, property]) => {
    const kind: unknown = Reflect.get(property, 'type')
    return kind === 'integer' || kind === 'number' ? [{ name, kind } as const] : []
  })
  return value => {
    const fields = value as Readonly<Record<string, unknown>>
    for (const { name, kind } of numbers) checkPlainNumber(name, fields[name], kind)
    check(value)
  }
}

/** Whether a POST has no required field, so that an absent body counts as `{}`. A PATCH without a body is refused. */
export function isBodyOptional({ method, body }: Pick<Route, 'method' | 'body'>): boolean {
  if (method !== 'POST' || body === undefined || Reflect.get(body, 'type') !== 'object') return false
  return bodies.compile(closedSchema(body))({})
}

export function noQueryCheck(): Check {
  return checkWith(addresses.compile(NOTHING))
}

function checkWith(validate: ValidateFunction): Check {
  return value => {
    if (!validate(value)) throw invalid(describeInvalid(validate.errors ?? []), [])
  }
}

/** Names the first wrong field; `details.fields` lists all when there are several. */
function invalid(first: InvalidField, all: readonly InvalidField[]): AppError {
  const others = all.filter(({ field }) => field !== first.field)
  const listed = [first, ...others].slice(0, MAX_LISTED)
  const options = first.field === '' ? {} : { field: first.field }
  if (first.field === '' || listed.length === 1)
    return new AppError('validation_error', first.message, options)
  const message = listed.map(each => each.message).join('; ')
  return new AppError('validation_error', message, { ...options, details: { fields: listed } })
}

const responses = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats: FORMATS })

/**
 * Returns a check that throws when a response does not match its route's schema or has a field that the schema does not
 * know, which the serialiser would drop. Only tests use it; a schema is compiled for the first response that it checks.
 */
export function responseCheck(route: Route): (response: unknown, status?: number) => void {
  const { response: made, waiting = made } = route
  return (response, status = route.status) => {
    const validate = responses.compile(closedSchema(status === route.status ? made : waiting))
    if (validate(response)) return
    const problems = responses.errorsText(validate.errors, { dataVar: 'response' })
    throw new Error(`The response of ${route.operationId} does not fit its schema: ${problems}`)
  }
}
