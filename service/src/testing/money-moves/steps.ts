import { AppError } from '../../kernel/app-error.ts'
import { NodeCrashed } from './crashes.ts'
import type { MoneyNode } from './node.ts'
import type { MoneyWorld } from './world.ts'

/** One action through a node. */
export type Step = (world: MoneyWorld, node: MoneyNode) => Promise<void>

/** A caller's result: a response, a refusal, or none because the node crashed during the request. */
export type Result<T> =
  | { readonly kind: 'response'; readonly response: T }
  | { readonly kind: 'refused'; readonly error: AppError }
  | { readonly kind: 'nothing' }

export async function resultOf<T>(world: MoneyWorld, asked: Promise<T>): Promise<Result<T>> {
  try {
    return { kind: 'response', response: await asked }
  } catch (error) {
    if (error instanceof NodeCrashed) {
      world.tally.met('caller: the node died')
      return { kind: 'nothing' }
    }
    if (!(error instanceof AppError)) throw error
    world.tally.met(`refused: ${error.code}`)
    return { kind: 'refused', error }
  }
}

/** Runs an action whose result does not matter, unless it is an unexpected error. */
export async function tried(world: MoneyWorld, asked: Promise<unknown>): Promise<void> {
  await resultOf(world, asked)
}
