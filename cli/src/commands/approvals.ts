import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Approval, type Client, isBatuaError, items } from '@batua/sdk'
import type { Command } from 'commander'
import { canAsk } from '../ask.ts'
import { change } from '../change.ts'
import { usage } from '../failure.ts'
import { amounts, inr, ist } from '../output.ts'
import { type Access, open, openIfPossible, type Session, serviceUrl, untilInterrupted } from '../session.ts'
import { describe, type Run, wholeNumberFrom } from './command.ts'
import { enterCode } from './login.ts'

interface ListOptions {
  readonly status?: string
  readonly limit: number
}

interface DecideOptions {
  readonly phone?: string
  readonly codeStdin?: boolean
  readonly reason?: string
  readonly idempotencyKey?: string
}

export function approvalsCommand(run: Run): Command {
  const group = describe({
    name: 'approvals',
    summary: 'See and decide what waits for the owner',
    examples: ['batua approvals', 'batua approvals watch', 'batua approvals approve apr_…'],
  })
  group.addCommand(listCommand(run), { isDefault: true })
  group.addCommand(watchCommand(run))
  for (const decision of ['approve', 'reject'] as const) group.addCommand(decideCommand(run, decision))
  return group
}

function listCommand(run: Run): Command {
  return describe({
    name: 'list',
    summary: 'List what waits',
    examples: ['batua approvals list', 'batua approvals list --status approved --json'],
  })
    .option('--status <status>', 'pending_approval, approved, rejected or expired')
    .option('--limit <number>', 'how many, at most 100', wholeNumberFrom, 100)
    .action(run(list))
}

const COLUMNS = ['APPROVAL', 'AGENT', 'KIND', 'TO', amounts('AMOUNT'), 'STATUS', 'PURPOSE', 'UNTIL (IST)']

async function list(session: Session, { status, limit }: ListOptions): Promise<void> {
  const { out, signal } = session
  const { client } = await open(session, 'owner')
  const filter = status === undefined ? {} : { status: status as 'approved' }
  const page = await client.listApprovals({ limit, ...filter }, { signal })
  out.body(page)
  out.table(COLUMNS, page.approvals.map(rowOf))
}

function rowOf(approval: Approval) {
  const { approval_id, agent_name, kind, to_name, to, amount, status, context, expires_at } = approval
  return [approval_id, agent_name, kind, to_name ?? to, amount, status, context?.purpose, ist(expires_at)]
}

function watchCommand(run: Run): Command {
  return describe({
    name: 'watch',
    summary: 'Show what waits as it comes, until Ctrl-C',
    examples: ['batua approvals watch', 'batua approvals watch --json | jq -r .approval_id'],
  })
    .option('--count <number>', 'end after so many', wholeNumberFrom)
    .action(run(watch))
}

const ASK_EVERY_MS = 2_000

interface WatchOptions {
  readonly count?: number
}

async function watch(session: Session, { count = Number.POSITIVE_INFINITY }: WatchOptions): Promise<void> {
  const { client } = await open(session, 'owner')
  session.out.note('Waiting for requests of your agents. Ctrl-C ends it')
  await untilInterrupted(session, () => showEach(session, client, count))
}

async function showEach({ out, signal }: Session, client: Client, count: number): Promise<void> {
  const seen = new Set<string>()
  for (;;) {
    for await (const approval of items(client.listApprovals, { status: 'pending_approval' }, { signal })) {
      if (seen.has(approval.approval_id) || seen.size >= count) continue
      seen.add(approval.approval_id)
      const { approval_id, agent_name, amount, to_name, to, context } = approval
      out.bodyLine(approval)
      out.facts([
        ['request', approval_id],
        ['agent', agent_name],
        ['to', to_name ?? to],
        ['amount', `${inr(amount)} INR`],
        ['purpose', context?.purpose],
      ])
    }
    if (seen.size >= count) return
    await delay(ASK_EVERY_MS, undefined, { signal })
  }
}

function decideCommand(run: Run, decision: 'approve' | 'reject'): Command {
  const command = describe({
    name: decision,
    summary:
      decision === 'approve' ? 'Approve a request: the payment is made at that moment' : 'Reject a request',
    description: 'Without a session, the code that is sent to the phone logs in first.',
    examples: [
      `batua approvals ${decision} apr_…`,
      `echo "$CODE" | batua approvals ${decision} apr_… --phone 9812345678 --code-stdin`,
    ],
  })
    .argument('<approval_id>', 'the request')
    .option('--phone <number>', 'the owner’s phone, to log in with a code')
    .option('--code-stdin', 'read the code from standard input')
    .option('--idempotency-key <key>', 'repeat a decision whose outcome is unknown with its key')
  if (decision === 'reject') command.option('--reason <text>', 'why; the agent reads it')
  return command.action(
    run((session, options: DecideOptions, [id = '']) => decide(session, decision, id, options)),
  )
}

async function decide(
  session: Session,
  decision: 'approve' | 'reject',
  approvalId: string,
  options: DecideOptions,
): Promise<void> {
  const { out } = session
  const { client } = await ownerAccess(session, options)
  const { reason, idempotencyKey: key = randomUUID() } = options
  const what = `the decision about ${approvalId}`
  const input = { approval_id: approvalId, ...(reason === undefined ? {} : { reason }) }
  const decided = await change(session, { what, key }, send =>
    decision === 'approve' ? client.approve({ approval_id: approvalId }, send) : client.reject(input, send),
  )
  out.body(decided)
  const { status, amount, to_name, to, payment_id } = decided
  out.facts([
    ['request', approvalId],
    ['status', status],
    ['to', to_name ?? to],
    ['amount', `${inr(amount)} INR`],
    ['payment', payment_id],
  ])
}

/** The owner's session; a code makes a new one if there is none, or if one is given. */
async function ownerAccess(session: Session, { phone, codeStdin }: DecideOptions): Promise<Access> {
  if (codeStdin !== true) {
    const access = await openIfPossible(session, 'owner')
    if (access !== null && ((await isAlive(session, access)) || !canAsk(session))) return access
    if (!canAsk(session)) return open(session, 'owner')
  }
  const known = phone ?? (await session.profiles.read())?.owner?.phone
  if (known === undefined) throw usage('Name the phone to which the code is sent: --phone …')
  await enterCode(session, await serviceUrl(session), known)
  return open(session, 'owner')
}

async function isAlive({ signal }: Session, { client }: Access): Promise<boolean> {
  try {
    await client.getSession({}, { signal })
    return true
  } catch (error) {
    if (isBatuaError(error) && error.code === 'authentication_error') return false
    throw error
  }
}
