import { setTimeout as delay } from 'node:timers/promises'
import { type EventName, isBatuaError, type WebhookEvent } from '@batua/sdk'
import { followEvents } from '../events.ts'
import { EXIT, Failure, usage } from '../failure.ts'
import { ist } from '../output.ts'
import { printable } from '../printable.ts'
import { type Access, open, openPublic, type Session } from '../session.ts'
import { describe, type Run, wholeNumberFrom } from './command.ts'
import { SCENARIOS } from './trigger-scenarios.ts'
import { openStage, type Stage } from './trigger-stage.ts'

const KNOWN = Object.keys(SCENARIOS) as EventName[]

export function triggerCommand(run: Run) {
  return describe({
    name: 'trigger',
    summary: 'Sandbox: make an event happen',
    description: `With new owners and agents of the platform. What needs time advances the clock of the sandbox.\n\nEvents:\n${KNOWN.map(name => `  ${name}`).join('\n')}`,
    examples: ['batua trigger agent.payment.received', 'batua trigger agent.settlement.completed --json'],
  })
    .argument('<event>', 'the name of the event')
    .action(run(trigger))
}

const ARRIVES_WITHIN_MS = 30_000

async function trigger(session: Session, _options: object, [name = '']: readonly string[]): Promise<void> {
  const event = KNOWN.find(known => known === name)
  if (event === undefined)
    throw usage(`There is no event ${name}`, ['Events:', ...KNOWN.map(known => `  ${known}`)])
  const access = await open(session, 'platform')
  await requireSandbox(session, access)
  const happened = await made(session, access, event)
  session.out.body(happened)
  session.out.lines(`${printable(happened.event)}  ${printable(happened.id)}`)
  session.out.facts(Object.entries(happened.data).map(([field, value]) => [field, shown(value)]))
}

function shown(value: unknown): string | number | null {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value
  return JSON.stringify(value)
}

/** The clock exists only in the sandbox: nothing is made in live mode. */
async function requireSandbox({ signal }: Session, { client }: Access): Promise<void> {
  try {
    await client.advanceClock({ advance_seconds: 0 }, { signal })
  } catch (error) {
    if (!(isBatuaError(error) && error.status === 404)) throw error
    const message = 'The service is not in sandbox mode: nothing was triggered'
    throw new Failure({ exit: EXIT.notFound, code: 'not_found', message })
  }
}

/** Makes it happen, and waits for the event of the new agents. */
async function made(session: Session, access: Access, name: EventName): Promise<WebhookEvent> {
  const stop = new AbortController()
  const signal = AbortSignal.any([session.signal, stop.signal])
  const stage = openStage(session, access)
  let arrived: Promise<WebhookEvent | null> = Promise.resolve(null)
  const opened = new Promise<void>((resolve, reject) => {
    arrived = firstOf(session, access, name, stage, signal, resolve)
    arrived.catch(reject)
  })
  try {
    await opened
    await SCENARIOS[name]?.(stage)
    const late = delay(ARRIVES_WITHIN_MS, null, { signal }).catch(() => null)
    const event = await Promise.race([arrived, late])
    session.signal.throwIfAborted()
    if (event !== null) return event
    const message = `${name} did not arrive within ${ARRIVES_WITHIN_MS / 1_000} s`
    throw new Failure({ exit: EXIT.failed, code: 'failed', message })
  } finally {
    stop.abort()
  }
}

async function firstOf(
  session: Session,
  access: Access,
  name: EventName,
  stage: Stage,
  signal: AbortSignal,
  onOpen: () => void,
): Promise<WebhookEvent | null> {
  for await (const { event } of followEvents(session, access, { signal, onOpen })) {
    if (event.event === name && stage.concerns(event.data)) return event
  }
  return null
}

export function clockCommand(run: Run) {
  return describe({
    name: 'clock',
    summary: 'Sandbox: advance the clock of the service, and do what falls due',
    examples: ['batua clock --advance 86400'],
  })
    .option('--advance <seconds>', 'by so many seconds; 0 does what is due now', wholeNumberFrom)
    .action(run(clock))
}

async function clock(session: Session, { advance }: { readonly advance?: number }): Promise<void> {
  if (advance === undefined) throw usage('By how much? batua clock --advance SECONDS')
  const client = await openPublic(session)
  // The key makes a repeat of the client safe: the clock moves once.
  const moved = await client.advanceClock({ advance_seconds: advance }, { signal: session.signal })
  session.out.body(moved)
  session.out.lines(`It is now ${ist(moved.now)} IST`)
}
