import { afterAll, beforeAll, test } from 'vitest'
import { expectStopped } from '../../testing/expect-stopped.ts'
import { openStopStage, STOPS, type StopName, type StopStage } from '../../testing/stop-race.ts'

let stage: StopStage
beforeAll(async () => {
  stage = await openStopStage()
})
afterAll(() => stage.close())

test.each(Object.keys(STOPS) as StopName[])(
  'once a %s is answered, nothing more is paid, a thousand times',
  async name => {
    await expectStopped(stage, name, { tries: 1_000, atOnce: 10, payments: 8 })
  },
)
