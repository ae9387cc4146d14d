import { AppError } from '../kernel/app-error.ts'

/** The refusal that `work` ends with; any other outcome fails the test. */
export async function refusalOf(work: Promise<unknown>): Promise<AppError> {
  const outcome = await work.then(
    () => 'no refusal',
    (error: unknown) => error,
  )
  if (outcome instanceof AppError) return outcome
  throw new Error('a refusal was expected', { cause: outcome })
}
