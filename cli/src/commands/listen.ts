import { randomBytes } from 'node:crypto'
import { InvalidArgumentError } from 'commander'
import { Webhook } from 'standardwebhooks'
import { followEvents, type StreamedEvent } from '../events.ts'
import { wasUnreached } from '../failure.ts'
import { ist } from '../output.ts'
import { printable } from '../printable.ts'
import { type Access, open, type Session } from '../session.ts'
import { describe, type Run, wholeNumberFrom } from './command.ts'

interface ListenOptions {
  readonly forwardTo?: string
  readonly events?: string
  readonly count?: number
}

export function listenCommand(run: Run) {
  return describe({
    name: 'listen',
    summary: 'Print events as they happen, and forward them to an address of this machine',
    description:
      'Each event is posted as a webhook (Standard Webhooks), signed with the secret that is printed. It needs no public address. Ctrl-C ends it.',
    examples: ['batua listen --forward-to http://localhost:3000/webhooks', 'batua listen --json | jq .event'],
  })
    .option('--forward-to <url>', 'post each event to this address', urlFrom)
    .option('--events <names>', 'only these events, separated by commas')
    .option('--count <number>', 'end after so many events', wholeNumberFrom)
    .action(run(listen))
}

function urlFrom(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new InvalidArgumentError('It must begin with http:// or https://.')
}

async function listen(session: Session, { forwardTo, events, count }: ListenOptions): Promise<void> {
  const { out } = session
  const access = await open(session, 'platform', 'owner')
  const secret = forwardTo === undefined ? null : await signingSecret(session, access)
  const target =
    forwardTo === undefined || secret === null ? null : { url: forwardTo, webhook: new Webhook(secret) }
  const { signal } = session
  const onReset = () => out.note('Events may have been missed: too many, or more than 24 hours ago')
  let isFirst = true
  const onOpen = () => {
    if (isFirst) welcome(session, forwardTo, secret)
    isFirst = false
  }
  const wanted = events === undefined ? null : new Set(events.split(','))
  let seen = 0
  for await (const streamed of followEvents(session, access, { signal, onOpen, onReset })) {
    if (wanted !== null && !wanted.has(streamed.event.event)) continue
    const outcome = target === null ? null : await forward(target, streamed, signal)
    report(session, streamed, outcome)
    seen += 1
    if (seen === count) return
  }
}

/** Standard output has only events with `--json`. */
function welcome({ out, stderr }: Session, forwardTo: string | undefined, secret: string | null): void {
  const lines = secret === null ? ['Listening.'] : [`Forwarding to ${forwardTo}`, `Signing secret: ${secret}`]
  if (!out.json) return out.lines(...lines, '')
  for (const line of lines) stderr.write(`${line}\n`)
}

/** The same at every start, so that a receiver keeps its configuration. */
async function signingSecret({ profiles }: Session, { profile }: Access): Promise<string> {
  if (profile?.listen !== undefined) {
    const kept = await profiles.secret('listen', profile.listen).catch(() => null)
    if (kept !== null) return kept
  }
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const current = await profiles.read()
  if (current !== null) await profiles.write({ ...current, listen: await profiles.keep('listen', secret) })
  return secret
}

interface Target {
  readonly url: string
  readonly webhook: Webhook
}

const RESPONDS_WITHIN_MS = 15_000

/** The status of the receiver, or why there is none. */
async function forward(
  { url, webhook }: Target,
  { event, text }: StreamedEvent,
  stopped: AbortSignal,
): Promise<number | string> {
  const sentAt = new Date()
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'batua-cli',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
    'webhook-signature': webhook.sign(event.id, sentAt, text),
  }
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(RESPONDS_WITHIN_MS)])
  try {
    const response = await fetch(url, { method: 'POST', headers, body: text, signal, redirect: 'manual' })
    await response.body?.cancel()
    return response.status
  } catch (error) {
    return wasUnreached(error) ? 'nothing listens there' : 'no response'
  }
}

function report({ out }: Session, { event }: StreamedEvent, outcome: number | string | null): void {
  out.bodyLine(event)
  const isTaken = typeof outcome === 'number' && outcome >= 200 && outcome < 300
  const response = outcome === null ? '' : `  ${out.colour(isTaken ? 'green' : 'red', String(outcome))}`
  out.lines(
    `${out.colour('dim', ist(event.timestamp))}  ${printable(event.event)}  ${printable(event.id)}${response}`,
  )
  if (outcome !== null && !isTaken) out.note(`${event.id} was not taken: ${outcome}`)
}
