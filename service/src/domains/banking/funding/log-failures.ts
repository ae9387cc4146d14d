import type { Logger } from '../../../kernel/logger.ts'

/** One bad row must not stop its neighbours, nor pass unseen. */
export function logFailures(
  logger: Logger,
  results: readonly PromiseSettledResult<unknown>[],
  message: string,
): void {
  for (const result of results) {
    if (result.status === 'rejected') logger.error({ err: result.reason }, message)
  }
}
