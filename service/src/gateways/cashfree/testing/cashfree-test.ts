import { testOn } from '../../../testing/database-test.ts'
import { type FakeCashfree, startFakeCashfree } from './fake-cashfree.ts'

/** The fake of the test file that runs: `test` opens it before the first test and closes it after the last. */
export let cashfree: FakeCashfree

export const test = testOn(
  () => startFakeCashfree(),
  opened => {
    cashfree = opened
  },
)
