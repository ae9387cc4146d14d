import type { Dice } from './dice.ts'
import type { Life } from './mortality.ts'
import type { Tally } from './tally.ts'

/** The caller's error when the line fails: the request had no effect, or its effect is unknown. */
export interface LineFailure {
  readonly kind: 'retryable' | 'unknown'
  readonly message: string
}

/** Whether the lines fail, and the delayed requests. */
export interface Weather {
  calm: boolean
  readonly late: (() => Promise<unknown>)[]
}

/** The network line between one node and the simulated banks. */
export interface Line {
  /** `changes`: the request has an effect, which may also come long after the caller gave up. */
  call<R>(name: string, changes: boolean, act: () => Promise<R>): Promise<R | LineFailure>
}

const FAULTS = {
  none: 82,
  'request lost': 4,
  'connection refused': 3,
  'too many requests': 3,
  'answer lost': 5,
  'request late': 3,
} as const

export const LINE_FAULTS = Object.keys(FAULTS).filter(name => name !== 'none')

const NO_ANSWER = { kind: 'unknown', message: 'no answer within 25 s' } as const
const SLOW_SHARE = 0.3
const LONGEST_TURNS = 40

export function faultyLine(dice: Dice, tally: Tally, weather: Weather, life: Life): Line {
  return {
    async call<R>(name: string, changes: boolean, act: () => Promise<R>): Promise<R | LineFailure> {
      const arrived = life.beginCall(dice)
      await passTurns(dice, weather)
      const drawn = weather.calm ? 'none' : dice.weighted(FAULTS)
      const fault = drawn === 'request late' && !changes ? 'request lost' : drawn
      if (fault !== 'none') tally.met(`line: ${name}: ${fault}`)
      if (fault !== 'none') tally.met(`line: ${fault}`)
      switch (fault) {
        case 'request lost':
          return NO_ANSWER
        case 'connection refused':
          return { kind: 'retryable', message: 'connection refused' }
        case 'too many requests':
          return { kind: 'retryable', message: '429: too many requests' }
        case 'request late':
          weather.late.push(act)
          return NO_ANSWER
        case 'answer lost':
        case 'none': {
          const answer = await act()
          arrived()
          await passTurns(dice, weather)
          life.check()
          return fault === 'none' ? answer : NO_ANSWER
        }
      }
    },
  }
}

/** Delays reorder concurrent requests. */
async function passTurns(dice: Dice, { calm }: Weather): Promise<void> {
  if (calm || !dice.chance(SLOW_SHARE)) return
  const turns = dice.between(1, LONGEST_TURNS)
  for (let turn = 0; turn < turns; turn++) await nextTurn()
}

/** Resolves after the callbacks that are ready now. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
