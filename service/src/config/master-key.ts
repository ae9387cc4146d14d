import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir } from '../db/embedded/data-dir.ts'

const KEY_BYTES = 32
const FILE_NAME = 'master-key'

/** The master key that sandbox mode has made in this folder; null if it has made none. */
export function readKeptMasterKey(dataDir: string): Buffer | null {
  const path = join(dataDir, FILE_NAME)
  return existsSync(path) ? keyIn(path) : null
}

/**
 * The master key of sandbox mode: made once and stored in the data folder that it protects. Live mode never uses this;
 * its key is in MASTER_KEY.
 */
export function readOrCreateMasterKey(dataDir: string): Buffer {
  const path = join(dataDir, FILE_NAME)
  makeDataDir(dataDir)
  try {
    // Exclusive, so that of two simultaneous first starts one makes the key and the other reads it.
    writeFileSync(path, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return keyIn(path)
}

function keyIn(path: string): Buffer {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length !== KEY_BYTES) throw new Error(`${path} does not hold a key of ${KEY_BYTES} bytes in base64`)
  return key
}
