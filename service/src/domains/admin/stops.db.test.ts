import { afterAll, beforeAll, test } from 'vitest'
import { expectStopped } from '../../testing/expect-stopped.ts'
import { openStopStage, STOPS, type StopName, type StopStage } from '../../testing/stop-race.ts'

let stage: StopStage
beforeAll(async () => {
  stage = await openStopStage()
})
afterAll(() => stage.close())

test.each(Object.keys(STOPS) as StopName[])(
  'after the response to a %s, no node makes another payment of the agent',
  async name => {
    await expectStopped(stage, name, { tries: 8, atOnce: 4, payments: 8 })
  },
)
