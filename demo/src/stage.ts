import { type Client, StoryEnd } from './client.ts'
import type { Paper } from './paper.ts'

/** What every chapter is played with: the service on one side, the reader on the other. */
export interface Stage {
  readonly client: Client
  readonly paper: Paper
}

export type Headers = Readonly<Record<string, string>>

/** An agent of the story, with what its own program would keep. */
export interface Actor {
  readonly id: string
  readonly handle: string
  readonly key: string
  readonly headers: Headers
}

/** Ends the story when the service does not keep a promise. */
export function insist(isSo: boolean, promise: string): asserts isSo {
  if (!isSo) throw new StoryEnd(`This should have been so and is not: ${promise}.`)
}

/** Enough of a secret to recognise it. */
export function veiled(secret: string | null): string {
  return `${(secret ?? '').slice(0, 14)}…`
}
