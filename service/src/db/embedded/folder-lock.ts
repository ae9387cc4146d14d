import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Holds the data folder for this process alone. Node has no file lock of its own, but its SQLite does: one that the
 * kernel frees when the process ends in whatever way, so that it is never stale and needs no look at process ids.
 */
export function lockFolder(folder: string): { release(): void } {
  const lock = openLock(folder)
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    const message = `Another service is running on the data folder ${folder}; stop it, or set another DATA_DIR.`
    throw new Error(message, { cause: error })
  }
  return { release: () => lock.close() }
}

function openLock(folder: string): DatabaseSync {
  try {
    return new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  } catch (error) {
    throw new Error(`The data folder ${folder} cannot be written to.`, { cause: error })
  }
}
