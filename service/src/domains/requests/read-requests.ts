import type {
  ErrorCode,
  LoggedRequest,
  listRequests,
  QueryOf,
  RequestUsage,
  ResponseOf,
} from '@batua/contract'
import type { Database } from '../../db/database.ts'
import type { PlatformCaller } from '../../http/caller.ts'
import { page, pageOf } from '../../http/paging.ts'
import { formatId, momentOf } from '../../kernel/ids.ts'
import type { RequestLog } from './collect.ts'
import { MINUTE_MS, minuteOf } from './half-days.ts'
import { countListed, type RequestRow, selectRequests, selectUsage } from './list-store.ts'

export interface RequestsContext {
  readonly database: Database
  readonly requestLog: RequestLog
}

export type RequestQuery = QueryOf<typeof listRequests>

/** What this node has not written yet is written first, so that a platform sees the request that it made before. */
export async function readRequests(
  { database, requestLog }: RequestsContext,
  { platformId }: PlatformCaller,
  query: RequestQuery,
  now: Date,
): Promise<ResponseOf<typeof listRequests>> {
  await requestLog.flush()
  const request = pageOf(query)
  const filter = {
    platformId,
    statusClass: query.status_class ?? null,
    method: query.method ?? null,
    route: query.route ?? null,
    code: query.code ?? null,
    now,
  }
  const [rows, total] = await Promise.all([
    selectRequests(database, filter, request),
    countListed(database, filter),
  ])
  return page('requests', rows, requestRecord, total, request)
}

function requestRecord({ id, appId, method, route, status, code, durationMs }: RequestRow): LoggedRequest {
  return {
    request_id: formatId('req', id),
    method,
    route,
    status,
    code: code === '' ? null : (code as ErrorCode),
    duration_ms: Math.round(durationMs * 100) / 100,
    app_id: appId === null ? null : formatId('app', appId),
    created_at: momentOf(id).toISOString(),
  }
}

export async function readUsage(
  { database, requestLog }: RequestsContext,
  { platformId }: PlatformCaller,
  minutes: number,
  now: Date,
): Promise<RequestUsage> {
  await requestLog.flush()
  const first = minuteOf(now.getTime()) - minutes + 1
  const usage = await selectUsage(database, platformId, first, now)
  return {
    from: new Date(first * MINUTE_MS).toISOString(),
    to: now.toISOString(),
    requests: usage.minutes.reduce((sum, { requests }) => sum + requests, 0),
    failed: usage.minutes.reduce((sum, { failed }) => sum + failed, 0),
    minutes: usage.minutes.map(({ minute, requests, failed }) => ({
      minute: new Date(minute * MINUTE_MS).toISOString(),
      requests,
      failed,
    })),
    errors: usage.codes.map(({ code, status, requests }) => ({ code, status, requests })),
    routes: usage.routes.map(({ method, route, requests, failed }) => ({ method, route, requests, failed })),
  }
}
