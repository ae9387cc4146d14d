import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { CompleteSandboxPaymentInput, CreateFundingInput, Funding } from '@batua/sdk'
import { change } from '../change.ts'
import { EXIT, type ExitCode, Failure, usage } from '../failure.ts'
import { inr, ist } from '../output.ts'
import { agentOf, open, type Session } from '../session.ts'
import { amountFrom, describe, type Run } from './command.ts'

interface FundOptions {
  readonly amount?: number
  readonly agent?: string
  readonly method?: string
  readonly idempotencyKey?: string
  readonly outcome?: string
  readonly wait?: boolean
}

export function fundCommand(run: Run) {
  return describe({
    name: 'fund',
    summary: 'Add money to a wallet',
    description: 'Prints the address at which the owner pays. In the sandbox, --outcome pays in her place.',
    examples: ['batua fund 1000', 'batua fund 1000 --wait', 'batua fund 1000 --outcome success'],
  })
    .argument('[amount]', 'what the owner pays, INR', amountFrom)
    .option('--amount <inr>', 'the amount, instead of the argument', amountFrom)
    .option('--agent <agent>', 'the agent, if a platform or an owner is logged in')
    .option('--method <method>', 'upi, card, netbanking or link')
    .option('--idempotency-key <key>', 'one key for each funding; by default a new one')
    .option('--wait', 'wait until it was paid, has failed or expired')
    .option('--outcome <outcome>', 'sandbox: success, failure or another outcome of the checkout page')
    .action(run(fund))
}

async function fund(session: Session, options: FundOptions, args: readonly unknown[]): Promise<ExitCode> {
  const { out, signal } = session
  const amount = options.amount ?? args[0]
  if (typeof amount !== 'number') throw usage('How much? batua fund AMOUNT')
  const access = await open(session, 'agent', 'platform', 'owner')
  const { client } = access
  const agent_id = await agentOf(session, access, options.agent)
  const { method, idempotencyKey: key = randomUUID() } = options
  const input: CreateFundingInput = {
    agent_id,
    amount,
    ...(method === undefined ? {} : { method: method as 'upi' }),
  }
  const made = await change(session, { what: `the funding of ${inr(amount)} INR`, key }, send =>
    client.createFunding(input, send),
  )
  const { funding_id, payment_session_id } = made
  if (options.outcome !== undefined) {
    const outcome = options.outcome as CompleteSandboxPaymentInput['outcome']
    await client.completeSandboxPayment({ payment_session_id, outcome }, { signal })
  }
  if (options.wait) {
    out.note(`The owner pays at ${made.checkout_url}`)
    return reportEnd(
      session,
      await ended(session, () => client.getFunding({ agent_id, funding_id }, { signal })),
    )
  }
  if (options.outcome !== undefined)
    return reportEnd(session, await client.getFunding({ agent_id, funding_id }, { signal }))
  out.body(made)
  out.facts([
    ['funding', funding_id],
    ['status', made.status],
    ['amount', `${inr(made.amount)} INR`],
    ['pay at', made.checkout_url],
    ['until', `${ist(made.expires_at)} IST`],
  ])
  return EXIT.done
}

const ASK_EVERY_MS = 1_000

async function ended({ signal }: Session, ask: () => Promise<Funding>): Promise<Funding> {
  for (;;) {
    const funding = await ask()
    if (funding.status !== 'pending') return funding
    await delay(ASK_EVERY_MS, undefined, { signal })
  }
}

function reportEnd({ out }: Session, funding: Funding): ExitCode {
  const { funding_id, status, amount, fee, net_amount } = funding
  if (status === 'failed') {
    const message = `The funding ${funding_id} has failed: nothing was credited`
    throw new Failure({ exit: EXIT.failed, code: 'funding_failed', message, details: { funding_id, status } })
  }
  out.body(funding)
  out.facts([
    ['funding', funding_id],
    ['status', status],
    ['amount', `${inr(amount)} INR`],
    ['fee', fee === null ? null : `${inr(fee)} INR`],
    ['credited', net_amount === null ? null : `${inr(net_amount)} INR`],
  ])
  return EXIT.done
}
