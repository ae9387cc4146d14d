import type { Config } from '../config/config.ts'
import { findRunningPostgres, hasDatabase, startEmbeddedPostgres } from '../db/embedded.ts'
import type { Logger } from '../kernel/logger.ts'

/** The database and how to close it. */
export interface DatabaseServer {
  readonly url: string
  stop(): Promise<void>
}

/** For commands: uses the database of a running service, or starts it when the service does not run. */
export async function joinDatabaseServer(
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  logger: Logger,
): Promise<DatabaseServer> {
  const running = databaseUrl ?? findRunningPostgres(dataDir)
  if (running !== null) return { url: running, stop: async () => undefined }
  if (!hasDatabase(dataDir)) {
    throw new Error(`There is no database in ${dataDir}; set DATA_DIR or DATABASE_URL as the service has it`)
  }
  return startEmbeddedPostgres({ dataDir, logger })
}
