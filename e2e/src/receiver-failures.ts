import { setTimeout as delay } from 'node:timers/promises'
import { type Behaviour, HANG, OK, respond } from './webhook-behaviour.ts'
import type { Receiver } from './webhook-receiver.ts'

type Random = () => number

/** The failures of receivers, and how often each occurs in such a state; otherwise they respond at once with 200. */
function faults(elsewhere: string, random: Random): readonly (readonly [share: number, what: Behaviour])[] {
  return [
    [0.08, { kind: 'respond', status: 204, afterMs: random() * 600 }],
    [0.08, respond(500)],
    [0.05, respond(503)],
    [0.01, respond(429, { 'retry-after': '1' })],
    [0.04, respond(301, { location: elsewhere })],
    [0.02, respond(307, { location: elsewhere })],
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

export interface ReceiverFailures {
  /** Ends all failures: no receiver hangs, and every receiver listens. */
  clear(): Promise<void>
}

/** Changes every receiver at random between healthy, failing in every way, and not listening. */
export function startReceiverFailures(
  receivers: readonly Receiver[],
  elsewhere: string,
  random: Random,
): ReceiverFailures {
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
