import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import type { TObject } from 'typebox'
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
    outputSchema: listedSchema(schemas.output),
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
