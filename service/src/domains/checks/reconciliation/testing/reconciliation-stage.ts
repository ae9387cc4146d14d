import type { DifferenceKind } from '@batua/contract'
import type { PaymentGateway } from '../../../../gateways/payment-gateway.ts'
import type { PayoutProvider } from '../../../../gateways/payout-provider.ts'
import { DAY_MS } from '../../../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../../../kernel/ids.ts'
import { paise } from '../../../../kernel/money.ts'
import { service } from '../../../../operations/facts.ts'
import { testOn } from '../../../../testing/database-test.ts'
import { orderIdOf } from '../../../banking/funding/apply-funding-update.ts'
import type { Funding } from '../../../banking/funding/funding.ts'
import { applyPayoutUpdate } from '../../../banking/payouts/apply-payout-update.ts'
import { type Payout, transferIdOf } from '../../../banking/payouts/payout.ts'
import { postPayout } from '../../../banking/payouts/post-payout.ts'
import { createSandboxPayouts } from '../../../sandbox/providers/payouts.ts'
import { simulateOutcome } from '../../../sandbox/simulate-outcome.ts'
import { openWorld, type World } from '../../../sandbox/testing/world.ts'
import type { ReconciliationContext } from '../../context.ts'
import { type ReconciliationReport, reconcile } from '../reconcile.ts'
import { listOpenDifferences } from '../report.ts'
import { upTo } from '../schedule.ts'

/** One difference as a test expects it. */
export interface Seen {
  readonly kind: DifferenceKind
  readonly subject: string
  readonly ours: string | null
  readonly theirs: string | null
  readonly amount: bigint
}

/** Fundings, payouts and the sandbox's gateway and bank over a database of their own. */
export interface ReconciliationStage {
  readonly world: World
  readonly context: ReconciliationContext
  readonly provider: PayoutProvider
  /** A funding of 1,000 INR with that outcome at the gateway. */
  fund(outcome: Parameters<typeof simulateOutcome>[2], agentId?: Uuid): Promise<Funding>
  /** 100 INR sent to that bank account, and what its provider says of it taken over. */
  payOut(bankAccount?: string): Promise<Payout>
  /** Takes over what the provider says of a payout now. */
  follow(payout: Payout): Promise<void>
  query(text: string, values: readonly unknown[]): Promise<void>
  compare(context?: ReconciliationContext, days?: number): Promise<ReconciliationReport>
  differences(): Promise<Seen[]>
  /** Reconciles, and returns every difference, by kind. */
  found(): Promise<readonly Seen[]>
  close(): Promise<void>
}

export interface Between {
  readonly payments?: (gateway: PaymentGateway) => PaymentGateway
  readonly payouts?: (provider: PayoutProvider) => PayoutProvider
}

/** The stage of the test file that runs: `test` opens it before the first test and closes it after the last. */
export let stage: ReconciliationStage

export const test = testOn(
  () => openReconciliationStage(),
  opened => {
    stage = opened
  },
)

export async function openReconciliationStage(between: Between = {}): Promise<ReconciliationStage> {
  const world = await openWorld(between.payments)
  const { database } = world.db
  const sandbox = createSandboxPayouts({
    database,
    clock: world.clock,
    webhookSecrets: ['payouts'],
    deliver: async () => undefined,
  })
  const provider = between.payouts?.(sandbox) ?? sandbox
  const { gateways, logger } = world.funding
  const context = { database, clock: world.clock, logger, gateways, payoutProvider: provider, pausesMs: [] }

  async function follow(payout: Payout): Promise<void> {
    const seen = await sandbox.get(transferIdOf(payout))
    const reported =
      seen.kind === 'value' && seen.value !== null
        ? ({ kind: 'payout', payout: seen.value } as const)
        : ({ kind: 'none' } as const)
    await world.ledger.submit(applyPayoutUpdate(payout, reported))
  }

  const stage: ReconciliationStage = {
    world,
    context,
    provider,
    follow,
    async fund(outcome, agentId) {
      const { session, funding } = await world.open(agentId ?? (await world.newAgentOfNewOwner()))
      await simulateOutcome(world.sandbox, session, outcome, 'upi')
      return funding
    },
    async payOut(bankAccount = '123456789012') {
      const agentId = await world.newAgentOfNewOwner()
      const { session } = await world.open(agentId, 20_000n)
      await simulateOutcome(world.sandbox, session, 'success', 'upi')
      const payout = await postNewPayout(world, agentId, sandbox.name)
      await send(sandbox, payout, bankAccount)
      await follow(payout)
      return payout
    },
    async query(text, values) {
      await database.query(text, values)
    },
    compare(by = context, days = 30) {
      const now = world.clock.now()
      return reconcile(by, { from: new Date(now.getTime() - days * DAY_MS), to: upTo(now) })
    },
    async differences() {
      const seen: Seen[] = []
      for await (const { kind, subject, ours, theirs, amountPaise } of listOpenDifferences(database)) {
        seen.push({ kind, subject, ours, theirs, amount: amountPaise })
      }
      return seen
    },
    async found() {
      await stage.compare()
      return (await stage.differences()).toSorted((left, right) => (left.kind < right.kind ? -1 : 1))
    },
    close: () => world.close(),
  }
  return stage
}

function postNewPayout(world: World, agentId: Uuid, provider: string): Promise<Payout> {
  const account = {
    ownerId: newUuid(world.clock.now()),
    bankAccount: Buffer.from('encrypted'),
    bankAccountLast4: '9012',
    bankIfsc: 'HDFC0001234',
  }
  const order = {
    agentId,
    kind: 'withdraw',
    account,
    amountPaise: paise(10_000n),
    provider,
    actor: service('test'),
  } as const
  return world.ledger.submit({ accounts: [agentId], reads: [], decide: batch => postPayout(batch, order) })
}

async function send(provider: PayoutProvider, payout: Payout, bankAccount: string): Promise<void> {
  const beneficiaryId = `b_${payout.ownerId.replaceAll('-', '')}`
  const known = await provider.ensureBeneficiary({
    beneficiaryId,
    name: 'Asha Rao',
    bankAccount,
    ifsc: 'HDFC0001234',
    phone: '9876543210',
  })
  const to = known.kind === 'value' ? known.value.beneficiaryId : beneficiaryId
  const transfer = { transferId: transferIdOf(payout), amountPaise: payout.amountPaise }
  await provider.send({ ...transfer, beneficiaryId: to, remarks: 'test' })
}

export { orderIdOf, transferIdOf }
