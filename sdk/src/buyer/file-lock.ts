import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, truncate, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname } from 'node:path'
import process from 'node:process'

/** Releases the lock: another process can open the file. */
export type Unlock = () => Promise<void>

/** The holder of a lock. `start` distinguishes a process from a later one with the same id; null if unknown. */
interface Holder {
  readonly pid: number
  readonly host: string
  readonly start: string | null
}

/** If another process was faster, it is running, and the next try finds that; this many tries are enough. */
const ATTEMPTS = 20

/** The locks of this process, for platforms that do not report when a process started. */
const ours = new Set<string>()

/**
 * Locks a file for this process; throws an Error if a running process has the lock. The lock is the file next to it
 * with the highest number. It is created atomically (by a hard link), and the process that creates the next number
 * replaces a dead process's lock: of concurrent processes one wins. A released lock is emptied and not removed, so the
 * highest number never decreases.
 */
export async function lockFile(path: string): Promise<Unlock> {
  const own: Holder = { pid: process.pid, host: hostname(), start: await startOf(process.pid) }
  const draft = `${path}.lock.${randomUUID()}`
  await writeFile(draft, JSON.stringify(own), { mode: 0o600 })
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const name = await takeNext(path, draft)
      if (name === null) continue
      ours.add(name)
      return async () => {
        await truncate(name).catch(ignoreMissing)
        ours.delete(name)
      }
    }
    throw inUse(`${path} is requested by too many processes`)
  } finally {
    await unlink(draft)
  }
}

/** Replaces the newest lock, unless it is held; null if another process was faster. */
async function takeNext(path: string, draft: string): Promise<string | null> {
  const locks = await locksOf(path)
  const newest = Math.max(0, ...locks)
  if (newest > 0) await refuseIfHeld(path, lockName(path, newest))
  const name = lockName(path, newest + 1)
  if (!(await isLinked(draft, name))) return null
  // Others may have come and gone since: then this number was used before, and removed under a higher one.
  if (Math.max(...(await locksOf(path))) > newest + 1) {
    await unlink(name).catch(ignoreMissing)
    return null
  }
  for (const old of locks) await unlink(lockName(path, old)).catch(ignoreMissing)
  return name
}

function lockName(path: string, number: number): string {
  return `${path}.lock.${number}`
}

async function locksOf(path: string): Promise<number[]> {
  const start = `${basename(path)}.lock.`
  const names = (await readdir(dirname(path))).filter(name => name.startsWith(start))
  return names
    .map(name => name.slice(start.length))
    .filter(end => /^[1-9][0-9]{0,14}$/.test(end))
    .map(Number)
}

/** False if another process created it first. */
async function isLinked(draft: string, name: string): Promise<boolean> {
  try {
    await link(draft, name)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function refuseIfHeld(path: string, name: string): Promise<void> {
  // A missing one was just replaced: then the next number exists already, and linking it fails.
  const holder = holderOf(await readFile(name, 'utf8').catch(ignoreMissing))
  if (holder === null) return
  const { pid, host } = holder
  if (host !== hostname())
    throw inUse(`${path} is in use by process ${pid} on ${host}; if that has ended, remove ${name}`)
  if (await isAlive(holder, name)) throw inUse(`${path} is in use by process ${pid}`)
}

/** With a code, so that a caller can wait for its turn. */
function inUse(message: string): Error {
  return Object.assign(new Error(message), { code: 'EBUSY' })
}

/** The holder of a lock; null if it was released, or if a power failure lost its content. */
function holderOf(text = ''): Holder | null {
  try {
    return JSON.parse(text) as Holder
  } catch {
    return null
  }
}

async function isAlive({ pid, start }: Holder, name: string): Promise<boolean> {
  if (!isRunning(pid)) return false
  const startNow = await startOf(pid)
  if (start !== null && startNow !== null) return start === startNow
  return pid !== process.pid || ours.has(name)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** When a process started, as Linux reports it (proc_pid_stat(5), field 22 of `/proc/<pid>/stat`). */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain spaces and parentheses; the third field follows the last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
