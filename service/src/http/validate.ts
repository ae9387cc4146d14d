import { FORMATS, type Route } from '@batua/contract'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TObject, TSchema } from 'typebox'
import { AppError } from '../kernel/app-error.ts'
import { closedSchema } from './closed-schema.ts'
import { describeInvalid } from './invalid-field.ts'
import { checkPlainNumber } from './query-text.ts'

/** Returns when a value fits its schema; otherwise throws `validation_error` that names the field. */
export type Check = (value: unknown) => void

const COMMON = { strict: true, allowUnionTypes: true, verbose: true, formats: FORMATS } as const

// A body means what it says: nothing is coerced, filled in or left out.
const bodies = new Ajv2020({ ...COMMON })
// Addresses are text, so "20" is a number there and absent fields have their defaults.
const addresses = new Ajv2020({ ...COMMON, coerceTypes: true, useDefaults: true })

export function bodyCheck(schema: TSchema): Check {
  const check = checkWith(bodies.compile(closedSchema(schema)))
  return value => {
    if (value === undefined) {
      throw new AppError('validation_error', 'This route needs a JSON body; send one as application/json')
    }
    check(value)
  }
}

/** For routes without a body: nothing or `{}` passes, a field is refused rather than ignored. */
export function noBodyCheck(): Check {
  const check = checkWith(bodies.compile({ type: 'object', additionalProperties: false }))
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

/** Whether a POST needs no field of its body, so that none at all may stand for `{}`. A PATCH of nothing is a slip. */
export function isBodyOptional({ method, body }: Pick<Route, 'method' | 'body'>): boolean {
  if (method !== 'POST' || body === undefined || Reflect.get(body, 'type') !== 'object') return false
  return bodies.compile(closedSchema(body))({})
}

export function noQueryCheck(): Check {
  return checkWith(addresses.compile({ type: 'object', additionalProperties: false }))
}

function checkWith(validate: ValidateFunction): Check {
  return value => {
    if (!validate(value)) throw invalid(validate.errors ?? [])
  }
}

function invalid(errors: readonly ErrorObject[]): AppError {
  const { field, message } = describeInvalid(errors)
  return new AppError('validation_error', message, field === '' ? {} : { field })
}
