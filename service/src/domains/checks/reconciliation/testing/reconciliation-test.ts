import { test as base } from 'vitest'
import { openReconciliationStage, type ReconciliationStage, type Seen } from './reconciliation-stage.ts'

/** The stage of the test that runs. */
export let stage: ReconciliationStage

/** Each test has a stage of its own, which is closed after it. */
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
// oxlint-disable-next-line no-empty-pattern -- the same
export const test = base.extend('stage', { auto: true }, async ({}, { onCleanup }) => {
  stage = await openReconciliationStage()
  onCleanup(() => stage.close())
  return stage
})

/** Opens the stage again with other options, such as a gateway that responds differently. */
export async function reopenStage(options: Parameters<typeof openReconciliationStage>[0]): Promise<void> {
  await stage.close()
  stage = await openReconciliationStage(options)
}

export const query = (text: string, ...values: readonly unknown[]) => stage.query(text, values)

/** What a run reports. Beside what was tampered with nothing is ever reported. */
export const found = () => stage.found()

/** What a test expects of a difference. */
export type Expected = Partial<Seen>
