import { FORMATS, type Route } from '@batua/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { closedSchema } from './closed-schema.ts'

/**
 * Throws when an answer does not fit its route's schema or holds a field that the schema does not know: the serialiser
 * would drop that field in silence. Only tests pay for this.
 */
export function responseCheck(route: Route): (answer: unknown, status?: number) => void {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats: FORMATS })
  const made = ajv.compile(closedSchema(route.response))
  const waits = route.waiting === undefined ? made : ajv.compile(closedSchema(route.waiting))
  return (answer, status = route.status) => {
    const validate = status === route.status ? made : waits
    if (validate(answer)) return
    const problems = ajv.errorsText(validate.errors, { dataVar: 'answer' })
    throw new Error(`The answer of ${route.operationId} does not fit its schema: ${problems}`)
  }
}
