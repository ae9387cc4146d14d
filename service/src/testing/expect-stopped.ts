import { expect } from 'vitest'
import { raceStop, STOPS, type StopName, type StopStage } from './stop-race.ts'

/** Fails unless no payment succeeds after the response to a stop; repeated `times` times, some concurrently. */
export async function expectStopped(
  stage: StopStage,
  name: StopName,
  { tries, atOnce, payments }: { readonly tries: number; readonly atOnce: number; readonly payments: number },
): Promise<void> {
  let paidInTime = 0
  for (let tried = 0; tried < tries; tried += atOnce) {
    const races = await Promise.all(Array.from({ length: atOnce }, () => raceStop(stage, name, payments)))
    for (const race of races) {
      expect(race.okAfterStop).toBe(0)
      expect(race.sequencesAfter).toEqual(race.sequencesAtStop)
      expect(race.late).toEqual(Array.from({ length: race.sentLate }, () => STOPS[name].refusal))
      paidInTime += race.paidInTime
    }
  }
  // Otherwise no payment was in flight when the stops ran.
  expect(paidInTime).toBeGreaterThan(0)
}
