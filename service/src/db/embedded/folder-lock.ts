import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Holds the data folder for this process alone. Node has no file lock of its own, but its SQLite does: one that the
 * kernel frees when the process ends in whatever way, so that it is never stale and needs no look at process ids.
 */
export function lockFolder(folder: string): { release(): void } {
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    throw new Error(
      `Another service is running on the data folder ${folder}; stop it, or set another DATA_DIR.`,
      { cause: error },
    )
  }
  return { release: () => lock.close() }
}
