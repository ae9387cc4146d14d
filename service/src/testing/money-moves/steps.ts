import { AppError } from '../../kernel/app-error.ts'
import { NodeDied } from './mortality.ts'
import type { MoneyNode } from './node.ts'
import type { MoneyWorld } from './world.ts'

/** One thing that somebody does, by way of a node. */
export type Step = (world: MoneyWorld, node: MoneyNode) => Promise<void>

/** What a caller hears: the answer, a refusal, or nothing because the node died with the request in hand. */
export type Heard<T> =
  | { readonly kind: 'answer'; readonly answer: T }
  | { readonly kind: 'refused'; readonly error: AppError }
  | { readonly kind: 'nothing' }

export async function heard<T>(world: MoneyWorld, asked: Promise<T>): Promise<Heard<T>> {
  try {
    return { kind: 'answer', answer: await asked }
  } catch (error) {
    if (error instanceof NodeDied) {
      world.tally.met('caller: the node died')
      return { kind: 'nothing' }
    }
    if (!(error instanceof AppError)) throw error
    world.tally.met(`refused: ${error.code}`)
    return { kind: 'refused', error }
  }
}

/** Does something of which no more is to be known than that it broke nothing. */
export async function tried(world: MoneyWorld, asked: Promise<unknown>): Promise<void> {
  await heard(world, asked)
}
