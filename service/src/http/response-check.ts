import { FORMATS, type Route } from '@batua/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { closedSchema } from './closed-schema.ts'

/**
 * Returns a check that throws when a response does not match its route's schema or has a field that the schema does not
 * know, which the serialiser would drop. Only tests use it.
 */
export function responseCheck(route: Route): (response: unknown, status?: number) => void {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats: FORMATS })
  const made = ajv.compile(closedSchema(route.response))
  const waits = route.waiting === undefined ? made : ajv.compile(closedSchema(route.waiting))
  return (response, status = route.status) => {
    const validate = status === route.status ? made : waits
    if (validate(response)) return
    const problems = ajv.errorsText(validate.errors, { dataVar: 'response' })
    throw new Error(`The response of ${route.operationId} does not fit its schema: ${problems}`)
  }
}
