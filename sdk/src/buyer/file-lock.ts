import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, truncate, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname } from 'node:path'
import process from 'node:process'

/** Ends the lock: the file is free for another. */
export type Unlock = () => Promise<void>

/** Who holds a lock. `start` tells a process from a later one of the same number; null where it cannot be seen. */
interface Holder {
  readonly pid: number
  readonly host: string
  readonly start: string | null
}

/** When another process was faster it lives, and the next look says so; more often than this it cannot go on. */
const ATTEMPTS = 20

/** The locks of this process, for platforms that do not show when a process started. */
const ours = new Set<string>()

/**
 * Locks a file for this process; an Error when a live one has it. The lock is the file beside it with the highest
 * number. It is made whole or not at all (a hard link), and whoever makes the next number takes a dead one's place: of
 * any number at once one wins. It is emptied at its end, not removed, so that the highest number never falls.
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
    throw new Error(`${path} is fought over by too many processes`)
  } finally {
    await unlink(draft)
  }
}

/** Takes the place of the newest lock, unless that one is held; null when another was faster. */
async function takeNext(path: string, draft: string): Promise<string | null> {
  const locks = await locksOf(path)
  const newest = Math.max(0, ...locks)
  if (newest > 0) await refuseIfHeld(path, lockName(path, newest))
  const name = lockName(path, newest + 1)
  if (!(await isLinked(draft, name))) return null
  // Others may have come and gone since: then this number was taken before, and removed under a higher one.
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

/** False when another made it first. */
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
  // One that is gone was taken over just now: then the next number is there already, and linking it fails.
  const holder = holderOf(await readFile(name, 'utf8').catch(ignoreMissing))
  if (holder === null) return
  const { pid, host } = holder
  if (host !== hostname())
    throw new Error(`${path} is in use by process ${pid} on ${host}; if that has ended, remove ${name}`)
  if (await isAlive(holder, name)) throw new Error(`${path} is in use by process ${pid}`)
}

/** Who holds a lock; null when it was let go, or when its content was lost with the power. */
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

/** When a process started, in the words of Linux (proc_pid_stat(5), field 22 of `/proc/<pid>/stat`). */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may itself hold spaces and parentheses; the third field follows the last one.
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
