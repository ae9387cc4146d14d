import type { McpClient, ToolResponse } from './mcp-client.ts'

export type Input = Readonly<Record<string, unknown>>

/** What one call of a tool was and returned. */
export interface Turn {
  readonly tool: string
  readonly response: ToolResponse
}

const MOST_TURNS = 6

/** What the model waits for. */
export interface Others {
  /** The owner decides. */
  readonly owner?: () => Promise<void>
  readonly until: (moment: number) => Promise<void>
}

/** A model that knows its task and the results alone, and does what they say until no tool is named. */
export async function followResults(
  mcp: McpClient,
  tool: string,
  task: Input,
  { owner, until }: Others,
): Promise<Turn[]> {
  const turns: Turn[] = []
  let wanted = task
  let next: string | null = tool
  while (next !== null && turns.length < MOST_TURNS) {
    const response = await mcp.call(next, argumentsOf(next, wanted))
    turns.push({ tool: next, response })
    const { max_amount_now: most, retry_at: retryAt, details, field } = response
    wanted = { ...wanted, ...idsIn(Object(details)), ...idsIn(response) }
    if (response['next_tool'] === 'check_payment' && typeof most === 'number')
      wanted = { ...wanted, amount: most }
    if (next === 'quote_paid_url') wanted = { ...wanted, max_amount: response['amount'] }
    // What it cannot put right it leaves out.
    if (response['code'] === 'validation_error') wanted = { ...wanted, [String(field)]: undefined }
    if (response['status'] === 'pending_approval') await owner?.()
    if (response.isError && typeof retryAt === 'string' && (most === 0 || most === null)) {
      await until(Date.parse(retryAt))
      continue
    }
    next = response['next_tool'] as string | null
  }
  return turns
}

function idsIn(found: Input): Input {
  const names = ['payment_id', 'approval_id'].filter(name => typeof found[name] === 'string')
  return Object.fromEntries(names.map(name => [name, found[name]]))
}

/** The arguments of a tool, from what the model wants and has read. */
export function argumentsOf(tool: string, wanted: Input): Record<string, unknown> {
  const pick = (...names: string[]) =>
    Object.fromEntries(names.filter(name => wanted[name] !== undefined).map(name => [name, wanted[name]]))
  switch (tool) {
    case 'pay':
      return pick('to', 'amount', 'idempotency_key', 'reference', 'unique_reference')
    case 'check_payment':
      return pick('to', 'amount')
    case 'hold_escrow':
      return { ...pick('amount', 'idempotency_key'), to_agent_id: wanted['to'] }
    case 'get_payment':
      return wanted['payment_id'] === undefined ? pick('idempotency_key') : pick('payment_id')
    case 'get_approval':
      return pick('approval_id')
    case 'quote_paid_url':
      return pick('url')
    case 'fetch_paid_url':
      return pick('url', 'max_amount', 'idempotency_key')
    default:
      return {}
  }
}
