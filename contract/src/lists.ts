import { type Static, type TArray, type TObject, type TSchema, Type } from 'typebox'
import { type ObjectDocumentation, response } from './schema.ts'

/** Page sizes of every list (interface section 8, contract section 1). */
export const DEFAULT_PAGE_SIZE = 20
export const MAX_PAGE_SIZE = 100
/** The maximum offset; use a cursor beyond it. */
export const MAX_OFFSET = 1_000_000

/** The query fields of every list. Spread them into the list's query object. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: DEFAULT_PAGE_SIZE,
      description: 'The page size, 1 to 100.',
      examples: [20],
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_OFFSET,
      default: 0,
      description: 'How many of the newest entries to skip.',
      examples: [0],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      pattern: '^[A-Za-z0-9_.=-]+$',
      description:
        'The `next_cursor` of the previous page. Unlike an offset, it is not affected by new entries.',
      examples: ['eyJiZWZvcmUiOiIwMWtiN3EifQ'],
    }),
  ),
}

/** The position of a page in its list. `next_cursor` is present while more rows follow. */
export const Pagination = response(
  {
    total: Type.Integer({ description: 'The number of matching entries on all pages.', examples: [1] }),
    limit: Type.Integer({ description: 'The page size used.', examples: [20] }),
    offset: Type.Integer({ description: 'The number of skipped entries.', examples: [0] }),
    next_cursor: Type.Optional(
      Type.String({
        description: 'Send it as `cursor` for the next page. Absent on the last page.',
        examples: ['eyJiZWZvcmUiOiIwMWtiN3EifQ'],
      }),
    ),
  },
  {
    title: 'Pagination',
    description: 'The position of this page in the list.',
    examples: [{ total: 1, limit: 20, offset: 0 }],
  },
)
export type Pagination = Static<typeof Pagination>

type ListProperties<Plural extends string, Item extends TSchema> = Record<Plural, TArray<Item>> & {
  pagination: typeof Pagination
}

/** The response of a list route: `{<plural>: [...], pagination}`, newest first. Its example is made from the item's. */
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
  return response(properties, { examples: [{ [plural]: examples, pagination }], ...documentation })
}
