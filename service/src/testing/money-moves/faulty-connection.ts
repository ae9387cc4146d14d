import type { Life } from './crashes.ts'
import type { Random } from './random.ts'
import type { Tally } from './tally.ts'

/** The caller's error when the connection fails: the request had no effect, or its effect is unknown. */
export interface ConnectionFailure {
  readonly kind: 'retryable' | 'unknown'
  readonly message: string
}

/** Whether connections fail, and the delayed requests. */
export interface ConnectionState {
  isReliable: boolean
  readonly late: (() => Promise<unknown>)[]
}

/** The connection between one node and the simulated banks. */
export interface FaultyConnection {
  /** `changes`: the request has an effect, which may also come long after the caller gave up. */
  call<R>(name: string, changes: boolean, act: () => Promise<R>): Promise<R | ConnectionFailure>
}

const FAULTS = {
  none: 82,
  'request lost': 4,
  'connection refused': 3,
  'too many requests': 3,
  'response lost': 5,
  'request late': 3,
} as const

export const CONNECTION_FAULTS = Object.keys(FAULTS).filter(name => name !== 'none')

const NO_RESPONSE = { kind: 'unknown', message: 'no response within 25 s' } as const
const SLOW_SHARE = 0.3
const LONGEST_TURNS = 40

export function faultyConnection(
  random: Random,
  tally: Tally,
  connectionState: ConnectionState,
  life: Life,
): FaultyConnection {
  return {
    async call<R>(name: string, changes: boolean, act: () => Promise<R>): Promise<R | ConnectionFailure> {
      const arrived = life.beginCall(random)
      await passTurns(random, connectionState)
      const drawn = connectionState.isReliable ? 'none' : random.weighted(FAULTS)
      const fault = drawn === 'request late' && !changes ? 'request lost' : drawn
      if (fault !== 'none') tally.met(`connection: ${name}: ${fault}`)
      if (fault !== 'none') tally.met(`connection: ${fault}`)
      switch (fault) {
        case 'request lost':
          return NO_RESPONSE
        case 'connection refused':
          return { kind: 'retryable', message: 'connection refused' }
        case 'too many requests':
          return { kind: 'retryable', message: '429: too many requests' }
        case 'request late':
          connectionState.late.push(act)
          return NO_RESPONSE
        case 'response lost':
        case 'none': {
          const response = await act()
          arrived()
          await passTurns(random, connectionState)
          life.check()
          return fault === 'none' ? response : NO_RESPONSE
        }
      }
    },
  }
}

/** Delays reorder concurrent requests. */
async function passTurns(random: Random, { isReliable }: ConnectionState): Promise<void> {
  if (isReliable || !random.chance(SLOW_SHARE)) return
  const turns = random.between(1, LONGEST_TURNS)
  for (let turn = 0; turn < turns; turn++) await nextTurn()
}

/** Resolves after the callbacks that are ready now. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
