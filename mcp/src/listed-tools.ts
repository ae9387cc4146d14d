import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import type { TObject } from 'typebox'
import { Refusal } from './tool-refusal.ts'
import { TOOLS } from './tools.ts'

/** Formats that validators of clients know; the others are checked here alone. */
const KNOWN_FORMATS: readonly unknown[] = ['date', 'date-time', 'email']

/** The tools as clients see them. */
export const LISTED_TOOLS: readonly ListedTool[] = TOOLS.map(
  ({ name, title, description, annotations, card, ...schemas }) => ({
    name,
    title,
    description,
    inputSchema: listedSchema(schemas.input),
    outputSchema: responseSchema(schemas.output),
    annotations: { title, ...annotations },
    ...(card === undefined ? {} : { _meta: { ui: { resourceUri: card } } }),
  }),
)

function listedSchema(schema: TObject): ListedTool['inputSchema'] {
  return JSON.parse(
    JSON.stringify(schema, (name, value: unknown) =>
      name === 'format' && typeof value === 'string' && !KNOWN_FORMATS.includes(value) ? undefined : value,
    ),
  ) as ListedTool['inputSchema']
}

/** A result or a refusal: clients check what they get of both. One object, because its root must be one. */
function responseSchema(output: TObject): ListedTool['outputSchema'] {
  const { required, ...result } = listedSchema(output)
  const refusal = listedSchema(Refusal)
  const properties: Record<string, unknown> = { ...result.properties }
  for (const [name, schema] of Object.entries(refusal.properties ?? {})) {
    const own = properties[name]
    if (own === undefined) properties[name] = schema
    else if (JSON.stringify(own) !== JSON.stringify(schema))
      properties[name] = { description: Object(own).description, anyOf: [own, schema] }
  }
  return { ...result, properties, anyOf: [{ required }, { required: refusal.required }] }
}
