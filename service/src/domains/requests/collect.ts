import type { Database } from '../../db/database.ts'
import type { FinishedRequest } from '../../http/access-log.ts'
import { timeOfRequestId } from '../../http/request-id.ts'
import { boundedMap } from '../../kernel/bounded-map.ts'
import type { Clock } from '../../kernel/clock.ts'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/logger.ts'
import { addCounter, type Metrics } from '../../kernel/metrics.ts'
import { firstMinuteKept, halfDayOf, minuteOf } from './half-days.ts'
import { type CountedRequests, type ListedRequest, prepareSlots, writeRequests } from './store.ts'

export interface RequestLogContext {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

/** The requests that this node has finished and not written yet. */
export interface RequestLog {
  /** Only adds to an array, because every request calls it. */
  record(request: FinishedRequest): void
  /** Writes what was recorded before the call; never rejects. Without the database it is dropped and counted. */
  flush(): Promise<void>
}

/** More than this node finishes in the seconds that a slow database may take. */
const MAX_WAITING = 20_000
/** Of one platform and minute, on this node, so that no platform fills the table. Each of the two kinds has its own. */
const LISTED_A_MINUTE = 1_000
const PLATFORMS_REMEMBERED = 10_000

export function openRequestLog(context: RequestLogContext): RequestLog {
  const dropped = addCounter(context.metrics, 'batua_request_log_dropped_total')
  const listing = openListing()
  const prepared = new Map<number, number>()
  let waiting: FinishedRequest[] = []
  let last: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const requests = waiting
    waiting = []
    if (requests.length === 0) return
    try {
      dropped.inc(await writeBatch(context, prepared, listing, requests))
    } catch (error) {
      // Whether the commit succeeded may be unknown, and a repetition would count twice.
      dropped.inc(requests.length)
      const reason = error instanceof Error ? error.message : String(error)
      context.logger.warn(
        { requests: requests.length, reason },
        'requests are missing in the log of requests',
      )
    }
  }

  return {
    record(request) {
      if (waiting.length < MAX_WAITING) waiting.push(request)
      else dropped.inc()
    },
    flush() {
      last = last.then(write)
      return last
    },
  }
}

/** Writes a batch in one statement. Returns how many requests were too old for it. */
async function writeBatch(
  { database, clock }: RequestLogContext,
  prepared: Map<number, number>,
  listing: Listing,
  requests: readonly FinishedRequest[],
): Promise<number> {
  const first = firstMinuteKept(clock.now())
  const { listed, counted, tooOld } = listing.sort(requests, first)
  const halfDays = new Set(counted.map(({ minute }) => halfDayOf(minute)))
  await prepareSlots(database, halfDays, prepared)
  if (counted.length > 0) await writeRequests(database, listed, counted)
  return tooOld
}

interface Batch {
  readonly listed: readonly ListedRequest[]
  readonly counted: readonly CountedRequests[]
  readonly tooOld: number
}

interface Listing {
  sort(requests: readonly FinishedRequest[], firstMinute: number): Batch
}

interface Listed {
  readonly minute: number
  succeeded: number
  failed: number
}

/** Counts all requests, and chooses those that are listed. */
function openListing(): Listing {
  const listedOf = boundedMap<Uuid, Listed>(PLATFORMS_REMEMBERED)

  function mayList({ platformId, status }: FinishedRequest, minute: number): boolean {
    let tally = listedOf.get(platformId)
    if (tally === undefined || tally.minute < minute) {
      tally = { minute, succeeded: 0, failed: 0 }
      listedOf.set(platformId, tally)
    }
    const kind = status < 400 ? 'succeeded' : 'failed'
    tally[kind] += 1
    return tally[kind] <= LISTED_A_MINUTE
  }

  return {
    sort(requests, firstMinute) {
      const counted = new Map<string, CountedRequests & { requests: number; listed: number }>()
      const listed: ListedRequest[] = []
      let tooOld = 0
      for (const request of requests) {
        const { platformId, method, route, status, code } = request
        const minute = minuteOf(timeOfRequestId(request.requestId))
        if (minute < firstMinute) {
          tooOld += 1
          continue
        }
        const key = `${platformId} ${minute} ${method} ${route} ${status} ${code}`
        let count = counted.get(key)
        if (count === undefined) {
          count = { platformId, minute, method, route, status, code, requests: 0, listed: 0 }
          counted.set(key, count)
        }
        count.requests += 1
        const id = mayList(request, minute) ? parseId('req', request.requestId) : null
        if (id === null) continue
        count.listed += 1
        listed.push({ id, minute, ...request })
      }
      return { listed, counted: [...counted.values()], tooOld }
    },
  }
}
