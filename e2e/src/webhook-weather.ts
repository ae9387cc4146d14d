import { setTimeout as delay } from 'node:timers/promises'
import { answer, type Behaviour, HANG, OK } from './webhook-behaviour.ts'
import type { Receiver } from './webhook-receiver.ts'

type Random = () => number

/** All that goes wrong with receivers, and how often one in such a state does it; the rest it answers at once with 200. */
function faults(elsewhere: string, random: Random): readonly (readonly [share: number, what: Behaviour])[] {
  return [
    [0.08, { kind: 'answer', status: 204, afterMs: random() * 600 }],
    [0.08, answer(500)],
    [0.05, answer(503)],
    [0.01, answer(429, { 'retry-after': '1' })],
    [0.04, answer(301, { location: elsewhere })],
    [0.02, answer(307, { location: elsewhere })],
    [0.05, { kind: 'reset', when: 'before reading' }],
    [0.05, { kind: 'reset', when: 'after reading' }],
    [0.05, { kind: 'garbage' }],
    [0.01, { kind: 'endless body' }],
    [0.01, HANG],
  ]
}

function oneOf(elsewhere: string, random: Random): Behaviour {
  let point = random()
  for (const [share, what] of faults(elsewhere, random)) {
    point -= share
    if (point < 0) return what
  }
  return OK
}

type Mood = 'well' | 'ill' | 'down'

const MOODS: readonly Mood[] = ['well', 'ill', 'ill', 'down']
const SHORTEST_MS = 150
const LONGEST_MS = 1_500

function nextMood(random: Random): Mood {
  return MOODS[Math.floor(random() * MOODS.length)] ?? 'well'
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}

export interface Weather {
  /** Ends all that is wrong: nothing hangs any more, and every receiver is there. */
  clear(): Promise<void>
}

/** Has every receiver change at random between being well, being ill in every way, and not being there. */
export function startWeather(receivers: readonly Receiver[], elsewhere: string, random: Random): Weather {
  const over = new AbortController()

  async function trouble(receiver: Receiver): Promise<void> {
    for (let mood: Mood = 'ill'; !over.signal.aborted; mood = nextMood(random)) {
      receiver.behave(mood === 'ill' ? () => oneOf(elsewhere, random) : OK)
      if (mood === 'down') await receiver.goDown()
      await pause(SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS), over.signal)
      if (mood === 'down') await receiver.comeBack()
    }
    receiver.behave(OK)
    await receiver.goDown()
    await receiver.comeBack()
  }
  const running = receivers.map(trouble)
  return {
    async clear() {
      over.abort()
      await Promise.all(running)
    },
  }
}
