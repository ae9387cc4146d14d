import { FORMATS } from '@batua/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Exchange } from './api.ts'

/** The differences between the responses of these exchanges and an OpenAPI document. */
export function faultsInDocument(document: unknown, exchanges: readonly Exchange[]): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS })
  ajv.addSchema(document as object, 'openapi')
  const faults = exchanges.map(({ route, reply }) => {
    const name = `${route.operationId} ${reply.status}`
    const pointer = ['paths', route.path, route.method.toLowerCase(), 'responses', String(reply.status)]
    const type = mediaTypeOf(reply.headers)
    const place = [...pointer, 'content', type, 'schema']
    if (at(document, place) === undefined) return `${name}: ${type} is not documented`
    const validate = ajv.getSchema(`openapi#/${place.map(escapePointer).join('/')}`)
    if (validate === undefined) return `${name}: its schema cannot be read`
    return validate(reply.body) ? null : `${name}: ${ajv.errorsText(validate.errors)}`
  })
  return faults.filter(fault => fault !== null)
}

function mediaTypeOf(headers: Headers): string {
  return headers.get('content-type')?.split(';')[0] ?? 'nothing'
}

/** The value in a JSON document at a path of names; undefined if the path does not exist. */
export function at(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined),
    document,
  )
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}
