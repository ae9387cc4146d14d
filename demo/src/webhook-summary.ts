import { inr } from './money.ts'

type Data = Readonly<Record<string, unknown>>

const MAX_LENGTH = 160

/** A short summary of an event. It works for any fields, also those of later events. */
export function summaryOf(data: Data): string {
  const fee = amountOf(data['fee'])
  const parts = [
    joined([amountOf(data['amount']), whoIn(data)], ' '),
    fee === null ? null : `fee ${fee}`,
    joined([textOf(data['previous_status']), textOf(data['status'] ?? data['kyc_status'])], ' → '),
    joined([textOf(data['severity']), textOf(data['rule'])], ' '),
    textOf(data['reason']),
    textOf(data['utr']),
    textOf(data['reference']),
  ]
  return printable(joined(parts, ', ') ?? '').slice(0, MAX_LENGTH)
}

/** Text from other parties must not move the cursor or colour the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·')
}

function whoIn(data: Data): string | null {
  const agent = shortId(data['agent_id'])
  const [from, to] = [shortId(data['from']), shortId(data['to'])]
  if (from === null && to === null) {
    const who = agent ?? shortId(data['owner_id'] ?? data['platform_id'])
    return data['amount'] === undefined || who === null ? who : `for ${who}`
  }
  const payer = from ?? agent
  const payee = to ?? (agent === payer ? null : agent)
  return joined([payer === null ? null : `from ${payer}`, payee === null ? null : `to ${payee}`], ' ')
}

/** `agt_…k3f9`: ids of one hour start alike, and their ends differ. */
function shortId(value: unknown): string | null {
  const [, prefix, last] = /^([a-z]+_).*(.{4})$/.exec(textOf(value) ?? '') ?? []
  return prefix === undefined || last === undefined ? null : `${prefix}…${last}`
}

function amountOf(value: unknown): string | null {
  return typeof value === 'number' && Number.isFinite(value) ? `${inr(value)} INR` : null
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function joined(parts: readonly (string | null)[], by: string): string | null {
  const present = parts.filter(part => part !== null)
  return present.length === 0 ? null : present.join(by)
}
