import type { Redis } from 'ioredis'
import type { Logger } from '../../kernel/logger.ts'

const COMMAND_TIMEOUT_MS = 250

/**
 * The store of shared rate limits. It fails fast and never queues, because a request that cannot be counted is let
 * through rather than kept waiting.
 */
export async function connectRedis(url: string, logger: Logger): Promise<Redis> {
  const library = await import('ioredis')
  const redis = new library.Redis(url, {
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
  })
  redis.on('error', (error: Error) =>
    logger.warn({ err: error }, 'redis connection failed: rate limits are not counted'),
  )
  return redis
}
