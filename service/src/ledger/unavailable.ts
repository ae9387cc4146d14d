import { AppError } from '../kernel/app-error.ts'

/** A transient failure: nothing was done. */
export function unavailable(reason: string): AppError {
  return new AppError('service_unavailable', `${reason}. Nothing was done; try again shortly`, {
    headers: { 'retry-after': '1' },
  })
}

/** The command may have been committed. */
export function outcomeUnknown(): AppError {
  return new AppError(
    'service_unavailable',
    'The database did not confirm the commit, so it is not known whether this was done. ' +
      'Look it up by its idempotency key or reference before you try again',
    { details: { outcome: 'unknown' }, headers: { 'retry-after': '10' } },
  )
}
