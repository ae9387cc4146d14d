import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PREFIX = 'service-'

/** Lets the end of all tests end a service: a worker ends without a word to its modules. */
export function endWithTests(scratch: string, pid: number): void {
  writeFileSync(join(scratch, `${PREFIX}${pid}`), '')
}

/** Ends the services that files in this folder name. */
export function endServices(scratch: string): void {
  for (const file of readdirSync(scratch))
    if (file.startsWith(PREFIX)) kill(Number(file.slice(PREFIX.length)))
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
