import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Approval,
  type Client,
  isBatuaError,
  type PayInput,
  type Payment,
  type PaymentResult,
} from '@batua/sdk'
import { change } from '../change.ts'
import { EXIT, type ExitCode, Failure, usage } from '../failure.ts'
import { inr } from '../output.ts'
import { agentOf, open, type Session } from '../session.ts'
import { amountFrom, describe, type Run } from './command.ts'
import { dryRun } from './dry-run.ts'

interface PayOptions {
  readonly to?: string
  readonly amount?: number
  readonly reference?: string
  readonly note?: string
  readonly purpose?: string
  readonly idempotencyKey?: string
  readonly dryRun?: boolean
  readonly wait?: boolean
}

export function payCommand(run: Run) {
  return describe({
    name: 'pay',
    summary: 'Pay an agent',
    description:
      'A payment has an idempotency key: with the same key it is made once, however often the command is repeated.',
    examples: [
      'batua pay @translator 12.50 --reference invoice-7',
      'batua pay @translator 12.50 --dry-run',
      'batua pay @translator 12.50 --idempotency-key order-7',
    ],
  })
    .argument('[to]', 'the payee: its agent id or handle')
    .argument('[amount]', 'the amount in INR', amountFrom)
    .option('--to <agent>', 'the payee, instead of the argument')
    .option('--amount <inr>', 'the amount, instead of the argument', amountFrom)
    .option('--reference <text>', 'your reference; the payee sees it')
    .option('--note <text>', 'a note; the payee sees it')
    .option('--purpose <text>', 'why; the owner sees it, the payee does not')
    .option('--idempotency-key <key>', 'one key for each purchase; by default a new one')
    .option('--dry-run', 'pay nothing; show the decision and every limit')
    .option('--wait', 'if the owner must approve, wait until she decides')
    .action(run(pay))
}

async function pay(session: Session, options: PayOptions, args: readonly string[]): Promise<ExitCode> {
  const { to, amount } = orderIn(options, args)
  const access = await open(session, 'agent')
  const agentId = await agentOf(session, access)
  if (options.dryRun) return dryRun(session, access.client, { agent_id: agentId, to, amount })
  const { reference, note, purpose, idempotencyKey: key = randomUUID() } = options
  const input: PayInput = {
    agent_id: agentId,
    to,
    amount,
    idempotency_key: key,
    ...(reference === undefined ? {} : { reference }),
    ...(note === undefined ? {} : { note }),
    ...(purpose === undefined ? {} : { context: { purpose } }),
  }
  const paid = await payOnce(session, access.client, input, key)
  const result =
    options.wait && paid.status !== 'completed' ? await decided(session, access.client, paid) : paid
  report(session, result, input)
  return result.status === 'completed' ? EXIT.done : EXIT.waits
}

function orderIn(
  options: PayOptions,
  args: readonly unknown[],
): { readonly to: string; readonly amount: number } {
  const [first, second] = args
  const to = options.to ?? first
  // With --to, the only argument is the amount.
  const amount = options.amount ?? (options.to === undefined ? second : (second ?? toAmount(first)))
  if (typeof to !== 'string') throw usage('Whom to pay? batua pay AGENT AMOUNT')
  if (typeof amount !== 'number') throw usage('How much? batua pay AGENT AMOUNT')
  return { to, amount }
}

function toAmount(argument: unknown): unknown {
  return typeof argument === 'string' ? amountFrom(argument) : argument
}

/** Pays, or finds the payment that the same command made before. */
async function payOnce(
  session: Session,
  client: Client,
  input: PayInput,
  key: string,
): Promise<PaymentResult | Payment> {
  const what = `the payment of ${inr(input.amount)} INR to ${input.to}`
  try {
    return await change(session, { what, key, isInBody: true }, send => client.pay(input, send))
  } catch (error) {
    const isOurs = isBatuaError(error) && error.code === 'idempotency_error' && error.details.same_request
    if (!isOurs) throw error
    const { agent_id } = input
    const { signal } = session
    const found = await client.listPayments({ agent_id, idempotency_key: key }, { signal })
    const [payment] = found.payments
    if (payment === undefined) throw error
    session.out.note('This payment was made before with this key')
    return payment
  }
}

function report({ out }: Session, paid: PaymentResult | Payment, { to, amount }: PayInput): void {
  out.body(paid)
  out.facts([
    ['status', paid.status],
    ['payment', paid.payment_id],
    ['approval', paid.approval_id],
    ['to', to],
    ['amount', `${inr(amount)} INR`],
    ['fee', `${inr(paid.cost)} INR`],
    ['balance', `${inr(paid.from_balance)} INR`],
    ['receipt', paid.receipt_id],
  ])
  if (paid.approval_id !== undefined && paid.status !== 'completed')
    out.note(`The owner must approve it: batua approvals approve ${paid.approval_id}`)
}

const ASK_EVERY_MS = 2_000

/** Waits until the owner has decided; returns the payment. */
async function decided(session: Session, client: Client, paid: PaymentResult | Payment): Promise<Payment> {
  const { out, signal } = session
  const approvalId = paid.approval_id ?? ''
  out.note(`Waiting for the owner to decide about ${approvalId}. Ctrl-C ends the waiting, not the request`)
  for (;;) {
    const approval = await client.getApproval({ approval_id: approvalId }, { signal })
    if (approval.status === 'approved' && approval.payment_id !== null)
      return client.getPayment({ agent_id: approval.agent_id, payment_id: approval.payment_id }, { signal })
    if (approval.status !== 'pending_approval') throw refusedBy(approval)
    await delay(ASK_EVERY_MS, undefined, { signal })
  }
}

function refusedBy({ approval_id, status, rejection_reason }: Approval): Failure {
  const because = rejection_reason ? `: ${rejection_reason}` : ''
  const message =
    status === 'expired' ? 'The owner did not decide in time' : `The owner rejected it${because}`
  const details = { approval_id, status, rejection_reason: rejection_reason ?? null }
  return new Failure({ exit: EXIT.notAllowed, code: `approval_${status}`, message, details })
}
