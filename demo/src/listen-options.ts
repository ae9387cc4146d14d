import { parseArgs } from 'node:util'
import { SECRET_PREFIXES } from '@batua/contract'

export interface ListenOptions {
  readonly port: number
  readonly secrets: readonly string[]
  readonly status: number
  readonly delayMs: number
  /** The number of different webhooks after which it ends; null: it runs until it is stopped. */
  readonly count: number | null
  readonly json: boolean
  readonly help: boolean
}

export const USAGE = `Receives webhooks on this machine, verifies each and prints a line for it.

  npm run listen -- --secret whsec_… [--port 9000] [--count 3] [--json] [--status 503] [--delay 20]

  --secret  the webhook_secret of your platform; several, separated by commas, while it is replaced.
            WEBHOOK_SECRET in the environment does the same.
  --port    the port on 127.0.0.1, by default 9000; 0 takes a free port
  --count   exits after that many different webhooks; absent: Ctrl-C stops it
  --json    prints the body of each webhook that is verified, on one line, and nothing else
  --status  simulates a failing receiver: responds with this status instead of 204
  --delay   simulates a slow receiver: waits that many seconds before it responds

Exits with 0, with 1 if the port is in use, and with 2 if an option is wrong or no secret was given.
`

export const NO_SECRET = `No secret was given. A webhook is verified with the webhook_secret of your platform, which begins with ${SECRET_PREFIXES.webhookSecret}.
It is shown once, in the response of POST /v1/platforms. If it is lost, POST /v1/platforms/{platform_id}/rotate-webhook-secret
returns a new one. Pass it as --secret ${SECRET_PREFIXES.webhookSecret}…, or as WEBHOOK_SECRET in the environment.
`

/** The options of the command line; anything else is an error that says what is wrong. */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ListenOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      secret: { type: 'string' },
      port: { type: 'string', default: '9000' },
      status: { type: 'string', default: '204' },
      delay: { type: 'string', default: '0' },
      count: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [stray] = positionals
  // npm uses the options before the two dashes itself.
  if (stray !== undefined)
    throw new Error(`Unknown argument ${stray}. Put options after --: npm run listen -- --port 9000`)
  return {
    port: wholeNumber('--port', values.port, 0, 65_535),
    secrets: secretsIn(values.secret ?? env['WEBHOOK_SECRET'] ?? ''),
    status: wholeNumber('--status', values.status, 200, 599),
    delayMs: wholeNumber('--delay', values.delay, 0, 3_600) * 1_000,
    count: values.count === undefined ? null : wholeNumber('--count', values.count, 1, 1_000_000_000),
    json: values.json,
    help: values.help,
  }
}

function secretsIn(text: string): string[] {
  const secrets = text
    .split(',')
    .map(secret => secret.trim())
    .filter(secret => secret !== '')
  // The value is not printed: it may be a secret of another kind.
  const isWrong = secrets.some(secret => !/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(secret))
  if (isWrong) throw new Error('The secret must be whsec_ and base64; several are separated by commas')
  return secrets
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new Error(`${option} must be a whole number from ${least} to ${most}`)
}
