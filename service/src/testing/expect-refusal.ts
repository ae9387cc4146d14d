import { AppError } from '../kernel/app-error.ts'

/** The refusal that this work ends with; anything else fails the test. */
export async function refusalOf(work: Promise<unknown>): Promise<AppError> {
  const outcome = await work.then(
    () => 'no refusal',
    (error: unknown) => error,
  )
  if (outcome instanceof AppError) return outcome
  throw new Error('A refusal was expected', { cause: outcome })
}
