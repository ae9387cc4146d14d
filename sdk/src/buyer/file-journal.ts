import { Buffer } from 'node:buffer'
import { chmod, constants, open, readFile, realpath, rename, rm, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import process from 'node:process'
import { lockFile } from './file-lock.ts'
import type { Purchase } from './journal.ts'
import { lineOfPin, lineOfPurchase, type Pin, pinOfLine, purchaseOfLine } from './purchase-line.ts'
import { type PurchaseStorage, type StoredJournal, storedJournal } from './stored-journal.ts'

/** Only the owner of the file may read it. */
const FILE_MODE = 0o600
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
/** A journal that is deleted while it is in use is not created again: its budgets would start again too. */
const APPEND = constants.O_WRONLY | constants.O_APPEND

/**
 * A journal in a file, for one process at a time: each step is on disk before it returns. The file is free for another
 * process when the journal is closed or its process has ended. For Node, Deno and Bun. Throws an Error if a running
 * process has the file (code `EBUSY`), if it is not a journal, or if a hard link gives it a second name.
 */
export async function fileJournal(path: string): Promise<StoredJournal> {
  await createFile(path)
  const file = await realpath(path)
  const unlock = await lockFile(file)
  try {
    const disk = await openDisk(file)
    const journal = storedJournal(disk, disk.purchases, disk.lines, disk.pins)
    return { ...journal, close: () => journal.close().then(unlock) }
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
    if (nlink > 1) throw new Error(`${path} has ${nlink} names (hard links); a journal may have only one`)
  } finally {
    await handle.close()
  }
}

interface Disk extends PurchaseStorage {
  /** The content of the file when it was opened. */
  readonly purchases: readonly Purchase[]
  readonly pins: readonly Pin[]
  readonly lines: number
}

async function openDisk(path: string): Promise<Disk> {
  await chmod(path, FILE_MODE)
  await syncFolderOf(path)
  const written = await readFile(path)
  // A line that a killed process was writing has no end, and its step never returned.
  let size = written.lastIndexOf('\n') + 1
  let isTorn = written.length > size
  const lines = written.toString('utf8', 0, size).split('\n').slice(0, -1)
  const purchases: Purchase[] = []
  const pins: Pin[] = []
  for (const [index, line] of lines.entries()) {
    const pin = pinOfLine(line)
    if (pin === null) purchases.push(purchaseOfLine(line) ?? refuseLine(path, index + 1))
    else pins.push(pin)
  }
  async function append(line: string): Promise<void> {
    if (isTorn) await truncate(path, size)
    isTorn = true
    size += await writeThrough(path, APPEND, line, size)
    isTorn = false
  }

  return {
    purchases: lastLines(purchases),
    pins,
    lines: lines.length,
    append: purchase => append(lineOfPurchase(purchase)),
    appendPin: pin => append(lineOfPin(pin)),
    async rewrite(kept, pins) {
      const next = `${path}.next`
      await rm(next, { force: true })
      const nextSize = await writeThrough(
        next,
        CREATE,
        [...[...kept].map(lineOfPurchase), ...[...pins].map(lineOfPin)].join(''),
        0,
      )
      await rename(next, path)
      ;[size, isTorn] = [nextSize, false]
      await syncFolderOf(path)
    },
  }
}

/** Appends to a file of so many bytes, on disk; returns the number of bytes added. */
async function writeThrough(path: string, flags: number, text: string, size: number): Promise<number> {
  const bytes = Buffer.from(text)
  const handle = await open(path, flags, FILE_MODE)
  try {
    if ((await handle.stat()).size !== size) throw new Error(`${path} was changed by another process`)
    await handle.appendFile(bytes)
    await handle.datasync()
    return bytes.length
  } finally {
    await handle.close()
  }
}

/** The last line of a purchase has its state. */
function lastLines(purchases: readonly Purchase[]): Purchase[] {
  return [...new Map(purchases.map(purchase => [purchase.id, purchase])).values()]
}

/** A file's name is on disk after its folder is synced. Windows cannot sync folders. */
async function syncFolderOf(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function refuseLine(path: string, number: number): never {
  throw new Error(`${path} is not a journal of purchases: line ${number}`)
}
