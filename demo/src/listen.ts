import { styleText } from 'node:util'
import { type ListenOptions, NO_SECRET, readOptions, USAGE } from './listen-options.ts'
import { type Arrival, openReceiver, type Receiver } from './webhook-receiver.ts'
import { printable, summaryOf } from './webhook-summary.ts'

const DEFAULT_SERVICE = 'http://localhost:8080'
const EVENT_WIDTH = 'agent.withdrawal.completed'.length
const MAX_NAME_LENGTH = 40

const style = (how: 'dim' | 'green' | 'red' | 'yellow', text: string) =>
  styleText(how, text, { stream: process.stdout })

/** Time, event, id, whether it is genuine, and a summary. */
function lineOf({ text, verification, isAgain }: Arrival, now: Date): string {
  const { event, id } = verification.verified ? verification.content : claimIn(text)
  const head = `${style('dim', now.toTimeString().slice(0, 8))}  ${event.padEnd(EVENT_WIDTH)}  ${id}`
  if (!verification.verified) return `${head}  ${style('red', `NOT VERIFIED: ${verification.reason}`)}`
  const words = [style('green', 'verified'), summaryOf(verification.content.data)]
  if (isAgain) words.push(style('yellow', 'again'))
  return `${head}  ${words.filter(word => word !== '').join('  ')}`
}

/** The event name of an unverified webhook, as it claims. */
function claimIn(text: string): { readonly event: string; readonly id: string } {
  const { event, id } = parsed(text) as Partial<Record<string, unknown>>
  const shown = (name: unknown) =>
    typeof name === 'string' ? printable(name).slice(0, MAX_NAME_LENGTH) : '?'
  return { event: shown(event), id: shown(id) }
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function welcome(address: string, { status, delayMs }: ListenOptions): string {
  const isBad = status !== 204 || delayMs > 0
  const manner = isBad ? `Each gets ${status}${delayMs > 0 ? ` after ${delayMs / 1_000} s` : ''}. ` : ''
  const service = process.env['BASE_URL'] || DEFAULT_SERVICE
  return `Listening for webhooks at ${address}. Register this address with your platform's id and secret:

  curl -X PATCH ${service}/v1/platforms/$ID -H "x-platform-id: $ID" -H "x-platform-secret: $SECRET" \\
    -H 'content-type: application/json' -d '{"webhook_url": "${address}"}'

${manner}Ctrl-C ends it.

`
}

/** Only bodies go to standard output, so that a program can read them; everything else goes to standard error. */
function print({ json }: ListenOptions, arrival: Arrival): void {
  const line = `${lineOf(arrival, new Date())}\n`
  if (!json) process.stdout.write(line)
  else if (arrival.verification.verified) process.stdout.write(`${JSON.stringify(parsed(arrival.text))}\n`)
  else process.stderr.write(line)
}

async function listen(options: ListenOptions): Promise<void> {
  const { port, secrets, status, delayMs, count, json } = options
  let receiver: Receiver | null = null
  let different = 0
  receiver = await openReceiver({
    port,
    secrets,
    status,
    delayMs,
    onArrival(arrival) {
      print(options, arrival)
      if (arrival.verification.verified && !arrival.isAgain) different += 1
    },
    onResponse() {
      if (count !== null && different >= count) receiver?.close()
    },
  })
  const stream = json ? process.stderr : process.stdout
  stream.write(welcome(receiver.address, options))
}

function fail(code: number, text: string): void {
  process.exitCode = code
  process.stderr.write(text)
}

async function main(): Promise<void> {
  let options: ListenOptions
  try {
    options = readOptions(process.argv.slice(2), process.env)
  } catch (error) {
    return fail(2, `${error instanceof Error ? error.message : String(error)}. --help has all options.\n`)
  }
  if (options.help) {
    process.stdout.write(USAGE)
    return
  }
  if (options.secrets.length === 0) return fail(2, NO_SECRET)
  try {
    await listen(options)
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    const reason = isTaken ? `Port ${options.port} is taken` : `Cannot listen: ${String(error)}`
    fail(1, `${reason}. Choose another by --port; --port 0 takes a free one.\n`)
  }
}

// A signal or a closed output ends it at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
process.stdout.once('error', () => process.exit(0))

await main()
