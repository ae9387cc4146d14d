import { routes } from '@batua/contract'
import type { Serve } from '../../http/serve.ts'
import { type RequestsContext, readRequests, readUsage } from './read-requests.ts'

export function serveRequestLog(serve: Serve, context: RequestsContext): void {
  serve(routes.listRequests, ({ caller, query, now }) => readRequests(context, caller, query, now))

  serve(routes.getRequestUsage, ({ caller, query, now }) =>
    readUsage(context, caller, query.minutes ?? DEFAULT_MINUTES, now),
  )
}

const DEFAULT_MINUTES = 60
