import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Env } from './service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface Reconciled {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** `npm run reconcile`, to its end, with nothing of the tests' own environment. */
export function runReconcile(env: Env, args: readonly string[] = []): Promise<Reconciled> {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    MASTER_KEY: Buffer.alloc(32, 'e2e').toString('base64'),
    ...env,
  }
  return new Promise(resolve => {
    execFile(
      process.execPath,
      ['service/src/reconcile.ts', ...args],
      { cwd: ROOT, env: environment },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    )
  })
}
