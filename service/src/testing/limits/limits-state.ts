import { type EffectivePolicy, POLICY_LAYERS, type PolicyLayer } from '@batua/contract'
import { showAgentPolicy } from '../../domains/parties/policies/agent-policy.ts'
import type { Escrow } from '../../domains/payments/escrow/escrow.ts'
import type { AdminCaller } from '../../http/caller.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { lockBatch, seenMs } from '../../ledger/accounts.ts'
import type { ControlColumns } from '../builders.ts'
import { networkContext } from '../network.ts'
import type { PastPayment, PlainLayers, Question } from './limits-reference.ts'
import type { DecisionResult } from './limits-results.ts'
import type { LimitsStage, StageNode } from './limits-stage.ts'

/** The reference's state of a payer. */
export interface Payer {
  readonly id: Uuid
  readonly layers: Map<PolicyLayer, ControlColumns>
  readonly history: PastPayment[]
  /** Releases of holds without a recipient, with their payees. */
  readonly releases: PastPayment[]
  /** Open escrows, by id. */
  readonly held: Map<Uuid, Escrow>
}

export interface LimitsRun {
  readonly stage: LimitsStage
  readonly wallets: readonly Uuid[]
  readonly payers: readonly Payer[]
  /** How often each result occurred. */
  readonly tally: Map<string, number>
}

const ANYONE: AdminCaller = { kind: 'admin', sessionId: '01890000-0000-7000-8000-00000000000e', phone: '' }

export interface Way {
  readonly node: number
  readonly payer: number
  readonly payee: number
}

export const nodeAt = ({ stage }: LimitsRun, at: number): StageNode => stage.nodes[at] ?? stage.nodes[0]
export const payerAt = ({ payers }: LimitsRun, at: number): Payer => found(payers[at])
export const walletAt = ({ wallets }: LimitsRun, at: number): Uuid => found(wallets[at])

export function found<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('a program names something that does not exist')
  return thing
}

/** The moment at which a batch with these accounts is decided: never before the latest moment that one of them has seen. */
export async function decidedMs(
  { stage }: LimitsRun,
  node: StageNode,
  accounts: readonly Uuid[],
): Promise<number> {
  const seen = await stage.database.inTransaction(tx => lockBatch(tx, accounts))
  return Math.max(node.clock.now().getTime(), ...[...seen.values()].map(seenMs))
}

export function layersOf({ layers }: Payer): PlainLayers {
  return POLICY_LAYERS.flatMap(layer => {
    const controls = layers.get(layer)
    return controls === undefined ? [] : [[layer, controls] as const]
  })
}

export async function questionOf(run: LimitsRun, way: Way): Promise<Question & { payee: Uuid }> {
  const [payer, payee] = [payerAt(run, way.payer), walletAt(run, way.payee)]
  const nowMs = await decidedMs(run, nodeAt(run, way.node), [payer.id, payee])
  return { layers: layersOf(payer), history: historyOf(payer), payee, nowMs }
}

/** The history that limits depend on; releases are not part of the payer's own sequence, so they come first. */
export function historyOf({ releases, history }: Payer): PastPayment[] {
  return [...releases, ...history]
}

export function note({ tally }: LimitsRun, result: DecisionResult): void {
  const rule = result.kind === 'refused' ? result.details?.['rule'] : undefined
  const answer = result.kind === 'refused' ? [result.code, rule].join(' ').trim() : result.kind
  tally.set(answer, (tally.get(answer) ?? 0) + 1)
}

export function look(
  { stage }: LimitsRun,
  node: StageNode,
  payer: Payer,
  payee: Uuid | null,
): Promise<EffectivePolicy> {
  const { ledger, agents, clock } = node
  const context = { ...networkContext(stage.database, clock), ledger, agents }
  const to = payee === null ? undefined : formatId('agt', payee)
  return showAgentPolicy(context, ANYONE, formatId('agt', payer.id), to)
}
