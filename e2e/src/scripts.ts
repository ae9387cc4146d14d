import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Env } from './service.ts'

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Compiled code of earlier runs, for which a short script would wait longest. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/e2e-compiled', import.meta.url))

/** The path of a script of the service, such as `verify.ts`. */
export function scriptPath(name: string): string {
  return fileURLToPath(new URL(`../../service/src/cli/${name}`, import.meta.url))
}

/** Runs a script of the service to its end in a folder, without the environment of the tests. */
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
