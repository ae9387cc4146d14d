import type { PageInput, Pagination } from '../api/types.ts'
import type { CallOptions } from './options.ts'
import { ownError } from './own-error.ts'

type Page = { readonly pagination: Pagination }

/** A method of the client that returns a page of a list. */
export type ListMethod = (input: never, options?: CallOptions) => Promise<Page>

type PageOf<List extends ListMethod> = Awaited<ReturnType<List>>

/** The entries of a list: those of its one array. */
export type ItemOf<List extends ListMethod> = {
  [Key in keyof PageOf<List>]: PageOf<List>[Key] extends (infer Item)[] ? Item : never
}[keyof PageOf<List>]

const MAX_PAGE_SIZE = 100

/**
 * All entries of a list, newest first, page after page as they are used:
 * `for await (const payment of items(client.listPayments, { agent_id }))`. By cursor, so that none is missed or
 * returned twice while new ones are added. Errors and aborts are those of the call; `limit` is the page size, 100 by
 * default.
 */
export async function* items<List extends ListMethod>(
  list: List,
  ...given: Parameters<List>
): AsyncGenerator<ItemOf<List>, void, undefined> {
  const [, options] = given
  for await (const page of pages(list, ...given)) {
    const entries = Object.values(page).find(Array.isArray) as ItemOf<List>[] | undefined
    for (const entry of entries ?? []) {
      options?.signal?.throwIfAborted()
      yield entry
    }
  }
}

/** The pages of a list, newest first, each as its route returns it. */
export async function* pages<List extends ListMethod>(
  list: List,
  ...[input, options]: Parameters<List>
): AsyncGenerator<PageOf<List>, void, undefined> {
  const call = list as unknown as (input: PageInput, options?: CallOptions) => Promise<PageOf<List>>
  let asked: PageInput = { limit: MAX_PAGE_SIZE, ...(input as PageInput | undefined) }
  while (true) {
    const page = await call(asked, options)
    yield page
    const { next_cursor: cursor } = page.pagination
    if (cursor === undefined) return
    if (cursor === asked.cursor) throw ownError('invalid_response', 'A page names itself as the next one')
    const { offset: _skipped, ...same } = asked
    asked = { ...same, cursor }
  }
}
