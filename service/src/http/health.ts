import { getHealth, getReadiness } from '@batua/contract'
import { AppError } from '../kernel/app-error.ts'
import type { Metrics } from '../kernel/metrics.ts'
import type { Server } from './server.ts'

export interface Health {
  /** The database answers and its migrations are done. */
  isReady(): Promise<boolean>
  readonly metrics: Metrics
}

/** What watches the service: is it alive, should it get requests, how is it doing. */
export function addHealth({ serve, fastify, isClosing }: Server, { isReady, metrics }: Health): void {
  serve(getHealth, () => ({ status: 'ok' as const }), { uncounted: true })
  serve(
    getReadiness,
    async () => {
      if (isClosing()) throw notReady('The service is shutting down; ask another node')
      if (!(await isReady())) throw notReady('The database is away; try again in a moment')
      return { status: 'ready' as const }
    },
    { uncounted: true },
  )
  fastify.get('/metrics', async (_request, reply) => {
    reply.header('content-type', metrics.contentType)
    return metrics.metrics()
  })
}

function notReady(message: string): AppError {
  return new AppError('service_unavailable', message, { headers: { 'retry-after': '1' } })
}
