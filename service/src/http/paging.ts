import { DEFAULT_PAGE_SIZE, type Pagination } from '@batua/contract'
import { AppError } from '../kernel/app-error.ts'
import type { Uuid } from '../kernel/ids.ts'

/** The query fields that every list takes; `pageQuery` of the contract has checked them. */
export interface PageQuery {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly cursor?: string | undefined
}

/** Which rows of a list, newest first, a store has to read. */
export interface PageRequest {
  readonly limit: number
  /** The `limit` of the SQL: one row more than the page, to know whether there is a next page. */
  readonly fetch: number
  readonly offset: number
  /** Only rows whose id sorts before this one; null from the newest on. */
  readonly before: Uuid | null
}

export function pageOf(query: PageQuery): PageRequest {
  const limit = query.limit ?? DEFAULT_PAGE_SIZE
  const offset = query.offset ?? 0
  const before = query.cursor === undefined ? null : decodeCursor(query.cursor)
  if (before !== null && offset > 0) {
    throw new AppError('validation_error', 'offset cannot go with a cursor; send one of them', {
      field: 'offset',
    })
  }
  return { limit, fetch: limit + 1, offset, before }
}

type PageOf<Plural extends string, Item> = Record<Plural, Item[]> & { pagination: Pagination }

/** The response of a list: up to `limit` of the fetched rows, and the cursor of the next page. */
export function page<const Plural extends string, Row extends { readonly id: Uuid }, Item>(
  plural: Plural,
  rows: readonly Row[],
  render: (row: Row) => Item,
  total: number | bigint,
  request: PageRequest,
): PageOf<Plural, Item> {
  const shown = rows.slice(0, request.limit)
  const last = shown.at(-1)
  const pagination: Pagination = { total: Number(total), limit: request.limit, offset: request.offset }
  if (last !== undefined && rows.length > request.limit) pagination.next_cursor = encodeCursor(last.id)
  return { [plural]: shown.map(render), pagination } as PageOf<Plural, Item>
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const UUID_BYTES = 16

/** The cursor, opaque to callers: the id after which the next page begins. */
export function encodeCursor(id: Uuid): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

export function decodeCursor(cursor: string): Uuid {
  const bytes = Buffer.from(cursor, 'base64url')
  const hex = bytes.toString('hex')
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  )
  if (bytes.length !== UUID_BYTES || !UUID.test(id) || encodeCursor(id) !== cursor) {
    throw new AppError(
      'validation_error',
      'The cursor is not one of ours; send next_cursor of the page before',
      {
        field: 'cursor',
      },
    )
  }
  return id
}
