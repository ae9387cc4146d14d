import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Env } from './service.ts'

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Compiled code of earlier runs, which is most of what a short script waits for. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/e2e-compiled', import.meta.url))

/** Where a script of the service stands, such as `verify.ts`. */
export function scriptPath(name: string): string {
  return fileURLToPath(new URL(`../../service/src/cli/${name}`, import.meta.url))
}

/** Runs a script of the service to its end in a folder, with nothing of the tests' own environment. */
export function runScript(
  name: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Env },
): Promise<Ended> {
  const environment = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILED, ...env }
  return new Promise(resolve => {
    execFile(
      process.execPath,
      [scriptPath(name), ...args],
      { cwd, env: environment },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    )
  })
}
