import { getHealth, getReadiness } from '@batua/contract'
import { AppError } from '../kernel/app-error.ts'
import type { Server } from './server.ts'

export interface Health {
  /** The database responds and its migrations are done. */
  isReady(): Promise<boolean>
}

/** The probes: whether the process is alive, and whether it should get requests. */
export function addHealth({ serve, isClosing }: Server, { isReady }: Health): void {
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
}

function notReady(message: string): AppError {
  return new AppError('service_unavailable', message, { headers: { 'retry-after': '1' } })
}
