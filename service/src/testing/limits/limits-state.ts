import { type EffectivePolicy, POLICY_LAYERS, type PolicyLayer } from '@batua/contract'
import { showAgentPolicy } from '../../domains/parties/policies/agent-policy.ts'
import type { Escrow } from '../../domains/payments/escrow/escrow.ts'
import type { AdminCaller, AppIdentity, Caller } from '../../http/caller.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { hashSecret } from '../../kernel/secrets.ts'
import { lockBatch, seenMs } from '../../ledger/accounts.ts'
import type { ControlColumns } from '../builders.ts'
import { networkContext } from '../network.ts'
import type { PastPayment, PlainApp, PlainLayers, Question } from './limits-reference.ts'
import type { DecisionResult } from './limits-results.ts'
import type { LimitsStage, StageNode } from './limits-stage.ts'

/** An app as the service names it, and as the reference sees it. */
export interface ConnectedPlainApp extends PlainApp {
  readonly identity: AppIdentity
}

/** A payment that waits for its owner. */
export interface AskedPayment {
  readonly approvalId: string
  readonly payee: Uuid
  readonly amount: bigint
  /** null: the agent itself asked. */
  readonly app: PlainApp | null
  readonly askedMs: number
}

/** The reference's state of a payer. */
export interface Payer {
  readonly id: Uuid
  readonly layers: Map<PolicyLayer, ControlColumns>
  readonly history: PastPayment[]
  /** Releases of holds without a recipient, with their payees. */
  readonly releases: PastPayment[]
  /** Open escrows, by id. */
  readonly held: Map<Uuid, Escrow>
  /** The app in each place: connected, or the last one that was. */
  readonly apps: Map<number, ConnectedPlainApp>
  /** Payments that wait for the owner. */
  readonly asked: AskedPayment[]
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
  readonly by: number
}

export const nodeAt = ({ stage }: LimitsRun, at: number): StageNode => stage.nodes[at] ?? stage.nodes[0]
export const payerAt = ({ payers }: LimitsRun, at: number): Payer => found(payers[at])
export const walletAt = ({ wallets }: LimitsRun, at: number): Uuid => found(wallets[at])

export function found<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('a program names something that does not exist')
  return thing
}

/**
 * The moment at which a batch with these accounts is decided: never before the latest moment that one of them has seen.
 */
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
  return { layers: layersOf(payer), history: historyOf(payer), payee, nowMs, app: appAt(payer, way.by) }
}

/** The history that limits depend on; releases are not part of the payer's own sequence, so they come first. */
export function historyOf({ releases, history }: Payer): PastPayment[] {
  return [...releases, ...history]
}

export function note(run: LimitsRun, result: DecisionResult): void {
  const rule = result.kind === 'refused' ? result.details?.['rule'] : undefined
  const response = result.kind === 'refused' ? [result.code, rule].join(' ').trim() : result.kind
  countStep(run, response)
  if (result.kind === 'refused' && result.details?.['layer'] === 'app')
    countStep(run, `refused by a cap: ${String(rule)}`)
}

export function countStep({ tally }: LimitsRun, what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1)
}

/** The app in a place of a payer; null: nobody was ever connected there, so the agent itself asks. */
export function appAt({ apps }: Payer, place: number): ConnectedPlainApp | null {
  return apps.get(place) ?? null
}

/** Who spent, in a history. */
export function ofApp(app: PlainApp | null): Pick<PastPayment, 'app'> {
  return app === null ? {} : { app: app.id }
}

export function look(
  { stage }: LimitsRun,
  node: StageNode,
  payer: Payer,
  payee: Uuid | null,
  app: ConnectedPlainApp | null = null,
): Promise<EffectivePolicy> {
  const { ledger, agents, clock } = node
  const context = { ...networkContext(stage.database, clock), ledger, agents }
  const to = payee === null ? undefined : formatId('agt', payee)
  return showAgentPolicy(context, app === null ? ANYONE : callerOf(payer, app), formatId('agt', payer.id), to)
}

function callerOf({ id }: Payer, { identity }: ConnectedPlainApp): Caller {
  const app = { ...identity, scopes: [] }
  return { kind: 'agent', agentId: id, platformId: id, ownerId: id, keyHash: hashSecret(id), app }
}
