import { afterAll, beforeAll, test } from 'vitest'
import { expectStopped } from '../../testing/expect-stopped.ts'
import { STOP_TRIES } from '../../testing/knobs.ts'
import { openStopStage, STOPS, type StopName, type StopStage } from '../../testing/stop-race.ts'

let stage: StopStage
beforeAll(async () => {
  stage = await openStopStage()
})
afterAll(() => stage.close())

test.each(Object.keys(STOPS) as StopName[])(
  'after the response to a %s, no other payment of the agent is made, in every repetition',
  async name => {
    await expectStopped(stage, name, { tries: STOP_TRIES, atOnce: 10, payments: 8 })
  },
)
