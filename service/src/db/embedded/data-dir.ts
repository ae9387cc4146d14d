import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { codeOf } from '../../kernel/system-errors.ts'

/** Everybody may pass through: PostgreSQL may run as another user. What lies inside has permissions of its own. */
const PASSABLE = 0o711

/** Makes the data folder when it is missing. Throws one sentence that names DATA_DIR when that cannot be done. */
export function makeDataDir(dataDir: string): void {
  const missing: string[] = []
  // Folder by folder: Node's recursive mkdir never returns where the kernel refuses a folder as absent (/proc).
  let folder = resolve(dataDir)
  for (; kindOf(folder, dataDir) === 'missing'; folder = dirname(folder)) missing.unshift(folder)
  if (kindOf(folder, dataDir) === 'file') {
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${folder} is a file, not a folder.`)
  }
  for (const path of missing) makeFolder(path, dataDir)
}

function makeFolder(path: string, dataDir: string): void {
  try {
    mkdirSync(path, { mode: PASSABLE })
  } catch (error) {
    // Another process made it meanwhile.
    if (codeOf(error) === 'EEXIST' && kindOf(path, dataDir) === 'folder') return
    throw unusable(dataDir, `${path} cannot be made (${codeOf(error)})`, error)
  }
}

function kindOf(path: string, dataDir: string): 'folder' | 'file' | 'missing' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file'
  } catch (error) {
    // ENOTDIR: something further up is a file; the walk upwards finds and names it.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return 'missing'
    throw unusable(dataDir, `${path} cannot be read (${codeOf(error)})`, error)
  }
}

function unusable(dataDir: string, reason: string, cause: unknown): Error {
  return new Error(
    `DATA_DIR ${dataDir} cannot be used: ${reason}. Set DATA_DIR to a folder you may write to.`,
    {
      cause,
    },
  )
}
