import { afterAll, beforeAll, test } from 'vitest'
import { expectStopped } from '../../testing/expect-stopped.ts'
import { openStopStage, STOPS, type StopName, type StopStage } from '../../testing/stop-race.ts'

let stage: StopStage
beforeAll(async () => {
  stage = await openStopStage()
})
afterAll(() => stage.close())

test.each(Object.keys(STOPS) as StopName[])(
  'once a %s is answered, nothing more is paid on any node',
  async name => {
    await expectStopped(stage, name, { tries: 20, atOnce: 4, payments: 8 })
  },
)
