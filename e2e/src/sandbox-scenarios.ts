import { type BodyOf, type ResponseOf, routes } from '@batua/contract'
import type { Api } from './api.ts'
import type { DocRow } from './doc-tables.ts'
import type { Agent, Owner } from './network.ts'

export type Outcome = BodyOf<typeof routes.completeSandboxPayment>['outcome']
export type Session = ResponseOf<typeof routes.createFunding>
export type Funding = ResponseOf<typeof routes.getFunding>
export type KycResult = ResponseOf<typeof routes.submitKyc>
export type Line = ResponseOf<typeof routes.listTransactions>['transactions'][number]

/** The repeated steps of sandbox scenarios. */
export interface SandboxScenarios {
  open(agent: Agent, amount: number): Promise<Session>
  /** Simulates the payer; returns the status of the funding afterwards. */
  simulate(session: Pick<Session, 'payment_session_id'>, outcome: Outcome): Promise<string>
  funding(agent: Agent, session: Pick<Session, 'funding_id'>): Promise<Funding>
  advance(seconds: number): Promise<void>
  kyc(owner: Owner, account: string): Promise<KycResult>
  withdraw(agent: Agent, amount: number): Promise<string>
  line(agent: Agent, transactionId: string): Promise<Line>
}

export function openSandboxScenarios(api: Api): SandboxScenarios {
  return {
    open: ({ id, headers }, amount) =>
      api.ok(routes.createFunding, { params: { agent_id: id }, headers, body: { amount } }),
    async simulate({ payment_session_id }, outcome) {
      const started = await api.ok(routes.completeSandboxPayment, {
        params: { payment_session_id },
        body: { outcome },
      })
      return started.status
    },
    funding: ({ id, headers }, { funding_id }) =>
      api.ok(routes.getFunding, { params: { agent_id: id, funding_id }, headers }),
    async advance(seconds) {
      await api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })
    },
    kyc: ({ id, platform }, account) =>
      api.ok(routes.submitKyc, {
        params: { owner_id: id },
        headers: platform.headers,
        body: { bank_account: account, bank_ifsc: 'HDFC0001234' },
      }),
    async withdraw({ id, headers }, amount) {
      const sent = await api.ok(routes.withdraw, { params: { agent_id: id }, headers, body: { amount } })
      return sent.transaction_id
    },
    async line({ id, headers }, transactionId) {
      const { transactions } = await api.ok(routes.listTransactions, { params: { agent_id: id }, headers })
      const found = transactions.find(one => one.id === transactionId)
      if (found === undefined) throw new Error(`no transaction ${transactionId}`)
      return found
    },
  }
}

/** Runs all rows concurrently, then advances the clock as docs/sandbox.md says, then reads the result of each. */
export async function runRows<Run>(
  scenarios: SandboxScenarios,
  rows: readonly DocRow[],
  begin: (row: DocRow) => Promise<Run>,
  end: (row: DocRow, started: Run) => Promise<DocRow>,
): Promise<Map<DocRow, DocRow>> {
  const begun = await Promise.all(rows.map(async row => [row, await begin(row)] as const))
  for (const seconds of [600, 1_800, 1_800]) await scenarios.advance(seconds)
  return new Map(
    await Promise.all(begun.map(async ([row, started]) => [row, await end(row, started)] as const)),
  )
}
