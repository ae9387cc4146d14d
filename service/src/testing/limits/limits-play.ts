import { type EffectivePolicy, POLICY_LAYERS, type PolicyLayer } from '@batua/contract'
import { showAgentPolicy } from '../../domains/parties/policies/agent-policy.ts'
import type { Escrow } from '../../domains/payments/escrow/escrow.ts'
import type { AdminCaller } from '../../http/caller.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { lockBatch, seenMs } from '../../ledger/accounts.ts'
import type { ControlColumns } from '../builders.ts'
import { networkContext } from '../network.ts'
import type { PastPayment, PlainLayers, Question } from './limits-reference.ts'
import type { LimitsStage, StageNode } from './limits-stage.ts'
import type { Told } from './limits-told.ts'

/** What the reference knows of a payer. */
export interface Payer {
  readonly id: Uuid
  readonly layers: Map<PolicyLayer, ControlColumns>
  readonly history: PastPayment[]
  /** Holds that named nobody, as they were released: whom they went to. */
  readonly releases: PastPayment[]
  /** What waits in escrow, by its id. */
  readonly held: Map<Uuid, Escrow>
}

export interface Play {
  readonly stage: LimitsStage
  readonly wallets: readonly Uuid[]
  readonly payers: readonly Payer[]
  /** How often each answer was given. */
  readonly tally: Map<string, number>
}

const ANYONE: AdminCaller = { kind: 'admin', sessionId: '01890000-0000-7000-8000-00000000000e', phone: '' }

export interface Way {
  readonly node: number
  readonly payer: number
  readonly payee: number
}

export const nodeAt = ({ stage }: Play, at: number): StageNode => stage.nodes[at] ?? stage.nodes[0]
export const payerAt = ({ payers }: Play, at: number): Payer => found(payers[at])
export const walletAt = ({ wallets }: Play, at: number): Uuid => found(wallets[at])

export function found<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('a program names only what is there')
  return thing
}

/** When a batch with these accounts is decided: never before what one of them has seen. */
export async function decidedMs(
  { stage }: Play,
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

export async function questionOf(play: Play, way: Way): Promise<Question & { payee: Uuid }> {
  const [payer, payee] = [payerAt(play, way.payer), walletAt(play, way.payee)]
  const nowMs = await decidedMs(play, nodeAt(play, way.node), [payer.id, payee])
  return { layers: layersOf(payer), history: historyOf(payer), payee, nowMs }
}

/** Everything that limits look at; releases have no place in the payer's own order, so they come first. */
export function historyOf({ releases, history }: Payer): PastPayment[] {
  return [...releases, ...history]
}

export function note({ tally }: Play, told: Told): void {
  const rule = told.kind === 'refused' ? told.details?.['rule'] : undefined
  const answer = told.kind === 'refused' ? [told.code, rule].join(' ').trim() : told.kind
  tally.set(answer, (tally.get(answer) ?? 0) + 1)
}

export function look(
  { stage }: Play,
  node: StageNode,
  payer: Payer,
  payee: Uuid | null,
): Promise<EffectivePolicy> {
  const { ledger, agents, clock } = node
  const context = { ...networkContext(stage.database, clock), ledger, agents }
  const to = payee === null ? undefined : formatId('agt', payee)
  return showAgentPolicy(context, ANYONE, formatId('agt', payer.id), to)
}
