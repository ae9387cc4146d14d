import DataLoader from 'dataloader'
import { textArrayLiteral } from './array-literal.ts'
import type { Queryable, Row } from './database.ts'
import { asService } from './work-origin.ts'

/**
 * Rows that are read by one key. Requests that read at the same moment share a statement, so under load a row costs a
 * fraction of a round trip. The statement must not wait for row locks, because other requests wait with it.
 */
export interface KeyedRead<R extends object> {
  /** A static text whose `$1` is an array of keys: `… = any($1::uuid[])`. */
  readonly text: string
  /** The key by which a row was read, written as the callers write it; `keys` as they are in `$1`. */
  readonly keyOf: (row: R, keys: readonly string[]) => string
  /** The most keys of a statement; absent: 100. For a read whose keys take long, so that few wait for each other. */
  readonly mostKeys?: number
}

/** Reads the rows of a key; see KeyedRead. It begins after the call, so it sees every commit before that. */
export type Gathered = <R extends object>(read: KeyedRead<R>, key: string) => Promise<readonly R[]>

/** The rows of a key, by a statement that other requests share, or in a transaction by one of its own. */
export function rowsOf<R extends object>(
  db: Queryable,
  read: KeyedRead<R>,
  key: string,
): Promise<readonly R[]> {
  return db.gathered === undefined
    ? db.query<R>(read.text, [textArrayLiteral([key])])
    : db.gathered(read, key)
}

/** The rows of several keys. */
export async function rowsOfAll<R extends object>(
  db: Queryable,
  read: KeyedRead<R>,
  keys: readonly string[],
): Promise<readonly R[]> {
  if (keys.length === 0) return []
  const { gathered } = db
  if (gathered === undefined) return db.query<R>(read.text, [textArrayLiteral(keys)])
  return (await Promise.all([...new Set(keys)].map(key => gathered(read, key)))).flat()
}

/** The only row of a key, or null. */
export async function rowOf<R extends object>(
  db: Queryable,
  read: KeyedRead<R>,
  key: string,
): Promise<R | null> {
  const [row] = await rowsOf(db, read, key)
  return row ?? null
}

const MOST_KEYS = 100
/** While so many statements of one read are in progress, further keys wait for the next, which then has more of them. */
const MOST_IN_PROGRESS = 2

/** Gathers the keys that are asked for in one turn of the event loop, or while earlier statements are in progress. */
export function openGathered(db: Pick<Queryable, 'query'>): Gathered {
  const loaders = new Map<string, DataLoader<string, readonly Row[]>>()
  return async <R extends object>(read: KeyedRead<R>, key: string) => {
    let loader = loaders.get(read.text)
    if (loader === undefined) {
      loader = loaderOf(db, read as unknown as KeyedRead<Row>)
      loaders.set(read.text, loader)
    }
    return (await loader.load(key)) as readonly R[]
  }
}

function loaderOf(db: Pick<Queryable, 'query'>, { text, keyOf, mostKeys = MOST_KEYS }: KeyedRead<Row>) {
  return gatherCalls<string, readonly Row[]>(mostKeys, async keys => {
    const read = [...new Set(keys)]
    const rows = await asService(() => db.query(text, [textArrayLiteral(read)]))
    const byKey = new Map<string, Row[]>()
    for (const row of rows) {
      const key = keyOf(row, read)
      const others = byKey.get(key)
      if (others === undefined) byKey.set(key, [row])
      else others.push(row)
    }
    return keys.map(key => byKey.get(key) ?? [])
  })
}

/** Calls of one moment together, at most so many; `work` returns the result or the error of each, in their order. */
export function gatherCalls<Call, Result>(
  most: number,
  work: (calls: readonly Call[]) => Promise<readonly (Result | Error)[]>,
): DataLoader<Call, Result> {
  let inProgress = 0
  const waiting: (() => void)[] = []
  const begin = (dispatch: () => void) => {
    inProgress += 1
    setImmediate(dispatch)
  }
  return new DataLoader<Call, Result>(
    async calls => {
      try {
        return await work(calls)
      } finally {
        inProgress -= 1
        const next = waiting.shift()
        if (next !== undefined) begin(next)
      }
    },
    {
      cache: false,
      maxBatchSize: most,
      batchScheduleFn: dispatch => {
        if (inProgress < MOST_IN_PROGRESS) begin(dispatch)
        else waiting.push(dispatch)
      },
    },
  )
}
