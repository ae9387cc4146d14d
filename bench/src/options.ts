import { parseArgs } from 'node:util'
import { LOAD_NAMES, type LoadName } from './loads.ts'

/** The options of one run of the benchmark. */
export interface Options {
  readonly rounds: number
  /** The length of each measurement, without its warm-up. */
  readonly seconds: number
  readonly agents: number
  /** The loads to measure, in this order. */
  readonly loads: readonly LoadName[]
  readonly withTpcb: boolean
  /** Whether payers with short and long histories are compared. */
  readonly withWindows: boolean
  /** Whether a hundred thousand wallets are settled. */
  readonly withSettlement: boolean
  /** Whether reads are compared with payments. */
  readonly withReads: boolean
  /** Whether captures and releases are compared with payments, and the end of many authorizations is timed. */
  readonly withSetAside: boolean
  /** Whether two nodes on one database are compared with one. */
  readonly withTwoNodes: boolean
  /** Whether two worker processes are compared with one process. */
  readonly withWorkers: boolean
  /** Whether a log of ten million entries is measured. */
  readonly withAudit: boolean
  /** Whether paid calls are compared with their parts. */
  readonly withPayPerCall: boolean
  /** Whether the waiting times of a client are measured while platforms misbehave. */
  readonly withMisbehaving: boolean
  /** Whether payments are measured while consoles follow events. */
  readonly withStreams: boolean
  /** Whether calls paid by vouchers are compared with free ones. */
  readonly withVouchers: boolean
  /** The measurement that does not need the service of the others, if nothing else is measured. */
  readonly alone: (typeof ALONE)[number] | null
  /** How many payments a long history has. */
  readonly history: number
  /** The measurements of webhooks. */
  readonly webhookParts: readonly WebhookPart[]
  /** The file for the report as Markdown; null: only the terminal. */
  readonly writePath: string | null
  /** The folder for the service's CPU profile; null: none is taken. */
  readonly profileFolder: string | null
  /** The parent of the temporary data folder; null: the system's. */
  readonly dataParent: string | null
}

/** What needs a service of its own. `history` is measured only when it is named. */
const ALONE = ['misbehaving', 'streams', 'vouchers', 'package', 'history'] as const

/** Payments with and without webhooks, while a receiver hangs, and at a steady rate. */
export const WEBHOOK_PARTS = ['webhooks-pay', 'webhooks-hang', 'webhooks-steady', 'webhooks-rates'] as const

export type WebhookPart = (typeof WEBHOOK_PARTS)[number]

const NAMES: readonly string[] = [
  ...LOAD_NAMES,
  'tpcb',
  'reads',
  'windows',
  'settlement',
  'set-aside',
  'two-nodes',
  'workers',
  'audit',
  'pay-per-call',
  'misbehaving',
  'streams',
  'vouchers',
  'package',
  'history',
  'webhooks',
  ...WEBHOOK_PARTS,
]

export const USAGE = `npm run bench -- [options]

  --rounds <n>      rounds over all measurements, medians are reported (3)
  --seconds <n>     seconds that each measurement counts (8)
  --agents <n>      agents on the network (10000)
  --history <n>     payments of the long history (1000000)
  --quick           one round of 3 seconds over 2000 agents
  --only <a,b>      only these: ${NAMES.join(', ')}
  --write <file>    also write the report there, as Markdown
  --profile <dir>   the service leaves a CPU profile of its whole run there
  --data <dir>      where the database's temporary folder is made; must be a disk
  --help            this text
`

const MIN_AGENTS = 300

/** Parses the command line, or throws one sentence that says what is wrong. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      agents: { type: 'string' },
      history: { type: 'string' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      write: { type: 'string' },
      profile: { type: 'string' },
      data: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const only = namesIn(values.only)
  return {
    rounds: count('rounds', values.rounds, values.quick ? 1 : 3, 1),
    seconds: count('seconds', values.seconds, values.quick ? 3 : 8, 1),
    agents: count('agents', values.agents, values.quick ? 2_000 : 10_000, MIN_AGENTS),
    loads: LOAD_NAMES.filter(name => only === null || only.has(name)),
    withTpcb: only === null || only.has('tpcb'),
    withReads: only === null || only.has('reads'),
    withWindows: only === null || only.has('windows'),
    withSettlement: only === null || only.has('settlement'),
    withTwoNodes: only === null || only.has('two-nodes'),
    withWorkers: only === null || only.has('workers'),
    withSetAside: only === null || only.has('set-aside'),
    withAudit: only === null || only.has('audit'),
    withPayPerCall: only === null || only.has('pay-per-call'),
    withStreams: only === null || only.has('streams'),
    withVouchers: only === null || only.has('vouchers'),
    alone: aloneIn(only),
    history: count('history', values.history, 1_000_000, 10_000),
    withMisbehaving: only === null || only.has('misbehaving'),
    webhookParts: WEBHOOK_PARTS.filter(part => only === null || only.has('webhooks') || only.has(part)),
    writePath: values.write ?? null,
    profileFolder: values.profile ?? null,
    dataParent: values.data ?? null,
  }
}

function aloneIn(only: ReadonlySet<string> | null): Options['alone'] {
  return only?.size === 1 ? (ALONE.find(name => only.has(name)) ?? null) : null
}

function count(name: string, text: string | undefined, fallback: number, least: number): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new Error(`--${name} takes a whole number of at least ${least}, not ${text}`)
}

function namesIn(list: string | undefined): ReadonlySet<string> | null {
  if (list === undefined) return null
  const names = list.split(',').map(name => name.trim())
  const unknown = names.find(name => !NAMES.includes(name))
  if (unknown !== undefined) throw new Error(`--only knows ${NAMES.join(', ')}, not ${unknown}`)
  if (names.includes('history') && names.length > 1) throw new Error('--only history is measured by itself')
  return new Set(names)
}
