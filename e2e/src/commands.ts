import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Env } from './service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The exit code and output of a command. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `npm run reconcile` to its end. */
export function runReconcile(env: Env, args: readonly string[] = []): Promise<Ended> {
  return runCommand('reconcile', env, args)
}

/** Runs `npm run rotate-signing-key` to its end. */
export function runRotateSigningKey(env: Env, args: readonly string[] = []): Promise<Ended> {
  return runCommand('rotate-signing-key', env, args)
}

/** Runs `npm run migrate` to its end. */
export function runMigrate(env: Env): Promise<Ended> {
  return runCommand('migrate', env, [])
}

/** Runs `npm run check-restored` to its end. */
export function runCheckRestored(env: Env, args: readonly string[] = []): Promise<Ended> {
  return runCommand('check-restored', env, args)
}

/** Without the environment of the tests. */
function runCommand(command: string, env: Env, args: readonly string[]): Promise<Ended> {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    MASTER_KEY: Buffer.alloc(32, 'e2e').toString('base64'),
    ...env,
  }
  return new Promise(resolve => {
    execFile(
      process.execPath,
      [`service/src/cli/${command}.ts`, ...args],
      { cwd: ROOT, env: environment },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    )
  })
}
