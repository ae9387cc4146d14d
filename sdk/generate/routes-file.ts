import type { Operation } from './operations.ts'
import { comment, type Schema } from './schema-types.ts'
import { inputName } from './types-file.ts'

/** The text of `api/routes.ts`: a method for each route, and how it is called. */
export function routesFile(operations: readonly Operation[]): string {
  const downloads = operations.filter(({ isDownload }) => isDownload)
  return `import type { Download } from '../client/download.ts'
import type { CallOptions } from '../client/options.ts'
import type * as Types from './types.ts'

/** Every route of the service as a method, by its operationId. */
export interface Api {
${operations.map(method).join('\n')}
}

/**
 * Method and path of every route; after \`?\` the query fields of a change's input, after \`=\` the input that is its
 * whole body.
 */
export const ROUTES: Readonly<Record<keyof Api, string>> = {
${operations.map(entry).join('\n')}
}

/** The routes whose response is a file of any length. */
export const DOWNLOADS: ReadonlySet<keyof Api> = new Set<keyof Api>([
${downloads.map(({ name }) => `'${name}',`).join('\n')}
])`
}

function method(operation: Operation): string {
  const mark = operation.needsInput ? '' : '?'
  const input = `input${mark}: Types.${inputName(operation)}`
  const { summary } = operation.route
  return `${comment(/[.?!]$/.test(summary) ? summary : `${summary}.`)}readonly ${operation.name}: (${input}, options?: CallOptions) => Promise<${responseNames(operation)}>`
}

function entry({ name, route, queryNames, rawBody }: Operation): string {
  const query = queryNames.length === 0 ? '' : `?${queryNames.join(',')}`
  return `${name}: '${route.method} ${route.path}${query}${rawBody ? '=body' : ''}',`
}

function responseNames({ name, response, waiting, isDownload }: Operation): string {
  if (isDownload) return `Download<Types.${responseName(name, response)}>`
  return [response, ...(waiting === null ? [] : [waiting])]
    .map(schema => `Types.${responseName(name, schema)}`)
    .join(' | ')
}

function responseName(name: string, { title }: Schema): string {
  if (title === undefined) throw new Error(`the response of ${name} has no title`)
  return title
}
