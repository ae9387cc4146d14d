import { type Static, type TArray, type TObject, type TSchema, Type } from 'typebox'
import { answer, type ObjectDocumentation } from './schema.ts'

/** Page sizes of every list (interface section 8, contract section 1). */
export const DEFAULT_PAGE_SIZE = 20
export const MAX_PAGE_SIZE = 100
/** The furthest offset; beyond it a cursor is the way. */
export const MAX_OFFSET = 1_000_000

/** The query fields that every list takes. Spread them into the list's query object. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: DEFAULT_PAGE_SIZE,
      description: 'How many to answer, 1 to 100.',
      examples: [20],
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_OFFSET,
      default: 0,
      description: 'How many of the newest to skip.',
      examples: [0],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      pattern: '^[A-Za-z0-9_.=-]+$',
      description: 'The `next_cursor` of the page before. Steadier than an offset while new entries arrive.',
      examples: ['eyJiZWZvcmUiOiIwMWtiN3EifQ'],
    }),
  ),
}

/** The position of a page in its list. `next_cursor` is present while more rows follow. */
export const Pagination = answer(
  {
    total: Type.Integer({ description: 'How many entries match, on all pages.', examples: [1] }),
    limit: Type.Integer({ description: 'The page size used.', examples: [20] }),
    offset: Type.Integer({ description: 'How many entries were skipped.', examples: [0] }),
    next_cursor: Type.Optional(
      Type.String({
        description: 'Send it as `cursor` for the next page. Absent on the last page.',
        examples: ['eyJiZWZvcmUiOiIwMWtiN3EifQ'],
      }),
    ),
  },
  {
    title: 'Pagination',
    description: 'Where this page stands in the list.',
    examples: [{ total: 1, limit: 20, offset: 0 }],
  },
)
export type Pagination = Static<typeof Pagination>

type ListProperties<Plural extends string, Item extends TSchema> = Record<Plural, TArray<Item>> & {
  pagination: typeof Pagination
}

/** The response of a list route: `{<plural>: [...], pagination}`, newest first. Its example is made of the item's. */
export function listOf<const Plural extends string, Item extends TSchema>(
  plural: Plural,
  item: Item,
  documentation: ObjectDocumentation = {},
): TObject<ListProperties<Plural, Item>> {
  const { examples = [] }: { examples?: readonly unknown[] } = { ...item }
  const pagination = { total: examples.length, limit: DEFAULT_PAGE_SIZE, offset: 0 }
  const properties = {
    [plural]: Type.Array(item, { description: 'The page, newest first.' }),
    pagination: Pagination,
  } as ListProperties<Plural, Item>
  return answer(properties, { examples: [{ [plural]: examples, pagination }], ...documentation })
}
