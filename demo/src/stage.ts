import { type Client, DemoError } from './client.ts'
import type { Paper } from './paper.ts'

/** What every chapter uses: the client of the service, and the output. */
export interface Stage {
  readonly client: Client
  readonly paper: Paper
}

export type Headers = Readonly<Record<string, string>>

/** An agent of the demo, with what its program would store. */
export interface Actor {
  readonly id: string
  readonly handle: string
  readonly key: string
  readonly headers: Headers
}

/** Ends the demo if the service breaks a promise. */
export function insist(isSo: boolean, promise: string): asserts isSo {
  if (!isSo) throw new DemoError(`The service broke a promise of the demo: ${promise}.`)
}

/** Enough of a secret to recognise it. */
export function veiled(secret: string | null): string {
  return `${(secret ?? '').slice(0, 14)}…`
}
