import { Buffer } from 'node:buffer'
import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { chmod, open, realpath, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import process from 'node:process'
import { lockFile } from '../buyer/file-lock.ts'
import { type ExclusiveTabStore, endWorkOf } from './tab-store.ts'

/** Only the owner of the file may read it. */
const FILE_MODE = 0o600

/** Beyond this, and twice what still counts, the file is written again. */
const REWRITE_AT_BYTES = 16_777_216

/** What a payee has stored about a buyer; `state` null: nothing any more. */
interface Line {
  readonly payee: string
  readonly buyer: string
  readonly state: string | null
  readonly version: string | null
}

/**
 * Vouchers in a file, for all sellers of one process at a time: what is written survives the end of the process at once,
 * and a power failure before the call is served. The file is free for another process when the store is closed or its
 * process has ended. For Node, Deno and Bun. Throws an Error if a running process has the file (code `EBUSY`), if it is
 * not a file of vouchers, or if a hard link gives it a second name.
 */
export async function fileTabStore(path: string): Promise<ExclusiveTabStore> {
  await createFile(path)
  const file = await realpath(path)
  const unlock = await lockFile(file)
  try {
    return await openStore(file, unlock)
  } catch (error) {
    await unlock()
    throw error
  }
}

/** Creates the file if it does not exist. The lock depends on its name: under another name it could be opened twice. */
async function createFile(path: string): Promise<void> {
  const handle = await open(path, 'a', FILE_MODE)
  try {
    const { nlink } = await handle.stat()
    if (nlink > 1) throw new Error(`${path} has ${nlink} names (hard links); a file of vouchers may have one`)
  } finally {
    await handle.close()
  }
}

async function openStore(path: string, unlock: () => Promise<void>): Promise<ExclusiveTabStore> {
  await chmod(path, FILE_MODE)
  const written = readFileSync(path)
  // A line that a killed process was writing has no end, and nothing was served for it.
  const whole = written.lastIndexOf('\n') + 1
  if (written.length > whole) await truncate(path, whole)
  const lines = new Map<string, Line>()
  for (const [index, text] of written.toString('utf8', 0, whole).split('\n').slice(0, -1).entries()) {
    note(lines, lineIn(text) ?? refuseLine(path, index + 1))
  }
  syncFolderOf(path)
  let descriptor = openSync(path, 'a')
  let [size, kept] = [whole, whole]
  let synced = groupSync(() => descriptor)
  let [isClosed, isBroken] = [false, false]

  function append(line: Line): void {
    if (isBroken) throw new Error(`${path} ends with a part of a line; open it again`)
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    appendWhole(descriptor, bytes, size, () => {
      isBroken = true
    })
    size += bytes.length
    note(lines, line)
  }
  /** The other file is complete on disk before it replaces this one. */
  function rewrite(): void {
    const text = Buffer.from([...lines.values()].map(line => `${JSON.stringify(line)}\n`).join(''))
    const next = openSync(`${path}.next`, 'w', FILE_MODE)
    try {
      for (let done = 0; done < text.length; ) done += writeSync(next, text, done)
      fsyncSync(next)
    } finally {
      closeSync(next)
    }
    const replaced = descriptor
    renameSync(`${path}.next`, path)
    syncFolderOf(path)
    descriptor = openSync(path, 'a')
    synced.last().then(
      () => closeSync(replaced),
      () => closeSync(replaced),
    )
    synced = groupSync(() => descriptor)
    ;[size, kept] = [text.length, text.length]
  }

  const store: ExclusiveTabStore = {
    isExclusive: true,
    async read(payee, buyer) {
      const { state = null, version = null } = lines.get(keyOf({ payee, buyer })) ?? {}
      return state === null || version === null ? null : { state, version }
    },
    async write(payee, buyer, next, version) {
      if (isClosed) throw new Error(`${path} is closed`)
      if ((lines.get(keyOf({ payee, buyer }))?.version ?? null) !== version) return false
      append({ payee, buyer, state: next?.state ?? null, version: next?.version ?? null })
      if (size > Math.max(REWRITE_AT_BYTES, 2 * kept)) rewrite()
      await synced.next()
      return true
    },
    buyers: async payee => [...lines.values()].filter(line => line.payee === payee).map(line => line.buyer),
    async close() {
      await endWorkOf(store)
      isClosed = true
      await synced.last()
      closeSync(descriptor)
      await unlock()
    },
  }
  return store
}

/** All or nothing at the end of a file of this size. `onPart`: a part of it is there, and would break the next line. */
function appendWhole(descriptor: number, bytes: Buffer, size: number, onPart: () => void): void {
  try {
    if (writeSync(descriptor, bytes) < bytes.length)
      throw new Error('The file could not be written to its end')
  } catch (error) {
    try {
      ftruncateSync(descriptor, size)
    } catch {
      onPart()
    }
    throw error
  }
}

interface GroupSync {
  /** Resolves when what was written before the call is on disk. */
  next(): Promise<void>
  /** Resolves when nothing is being synced. */
  last(): Promise<void>
}

/** One sync at a time; those who come meanwhile share the next one. */
function groupSync(descriptor: () => number): GroupSync {
  let running: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | null = null

  function sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(descriptor(), error => (error === null ? resolve() : reject(error)))
    })
  }
  function next(): Promise<void> {
    waiting ??= running
      .catch(() => {})
      .then(() => {
        waiting = null
        running = sync()
        return running
      })
    return waiting
  }
  return { next, last: async () => (waiting ?? running).catch(() => {}) }
}

function keyOf({ payee, buyer }: Pick<Line, 'payee' | 'buyer'>): string {
  return `${payee} ${buyer}`
}

function note(lines: Map<string, Line>, line: Line): void {
  if (line.state === null) lines.delete(keyOf(line))
  else lines.set(keyOf(line), line)
}

function lineIn(text: string): Line | null {
  try {
    const { payee, buyer, state, version } = Object(JSON.parse(text)) as Partial<Record<string, unknown>>
    if (typeof payee !== 'string' || typeof buyer !== 'string') return null
    if (state === null || version === null) return { payee, buyer, state: null, version: null }
    return typeof state === 'string' && typeof version === 'string' ? { payee, buyer, state, version } : null
  } catch {
    return null
  }
}

/** A file's name is on disk after its folder is synced. Windows cannot sync folders. */
function syncFolderOf(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function refuseLine(path: string, number: number): never {
  throw new Error(`${path} is not a file of vouchers: line ${number}`)
}
