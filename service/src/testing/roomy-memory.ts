import { statfsSync } from 'node:fs'

const MEMORY = '/dev/shm'
const GIBIBYTE = 2 ** 30
const ENOUGH_GIB = 6

/**
 * Hundreds of databases are made and dropped, a thousand files each time, which a disk's file system takes most of a run
 * for. Null where there is no file system in memory, or too little of it.
 */
export function roomyMemory(): string | null {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ENOUGH_GIB * GIBIBYTE ? MEMORY : null
  } catch {
    return null
  }
}
