import { createServer } from 'node:net'

/** The code of an error of the system, such as ENOENT; of any other error its text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/** Why nothing can listen on a port, as the code of the system: EADDRINUSE if it is in use; null: it is free. */
export async function portProblem(host: string, port: number): Promise<string | null> {
  const probe = createServer()
  const problem = await new Promise<string | null>(resolve =>
    probe.once('error', error => resolve(codeOf(error))).listen(port, host, () => resolve(null)),
  )
  await new Promise(resolve => probe.close(resolve))
  return problem
}
