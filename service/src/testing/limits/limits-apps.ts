import { deepEqual } from 'node:assert/strict'
import { DAY_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { approvalOf, approve } from '../approving.ts'
import { connectApp, endApp } from '../apps.ts'
import type { ControlColumns } from '../builders.ts'
import type { AppCap } from './limits-program.ts'
import type { PlainApp, PlainLayers } from './limits-reference.ts'
import { expectSame, isEnded, responseOf } from './limits-results.ts'
import {
  type AskedPayment,
  type ConnectedPlainApp,
  countStep,
  decidedMs,
  found,
  historyOf,
  type LimitsRun,
  layersOf,
  nodeAt,
  note,
  ofApp,
  type Payer,
  payerAt,
} from './limits-state.ts'

/** The cap of an app, as the controls of its layer. */
export function capColumns({ perTx, daily }: Omit<AppCap, 'days'>): ControlColumns {
  return { spend_limit_per_tx_paise: perTx, spend_limit_daily_paise: daily }
}

/** Connects an app. The one in its place is disconnected first: an owner changes a cap by connecting again. */
export async function connectStep(
  run: LimitsRun,
  { payer: at, place, cap, ...step }: { node: number; payer: number; place: number; cap: AppCap },
): Promise<void> {
  const payer = payerAt(run, at)
  const node = nodeAt(run, step.node)
  await disconnectStep(run, { ...step, payer: at, place })
  const nowMs = await decidedMs(run, node, [payer.id])
  const identity = await connectApp(node, payer.id, cap)
  const untilMs = nowMs + cap.days * DAY_MS
  payer.apps.set(place, { id: identity.id, identity, controls: capColumns(cap), untilMs })
  countStep(run, 'app connected')
}

export async function disconnectStep(
  run: LimitsRun,
  step: { node: number; payer: number; place: number },
): Promise<void> {
  const payer = payerAt(run, step.payer)
  const app = payer.apps.get(step.place)
  if (app === undefined) return
  await endApp(nodeAt(run, step.node), payer.id, app.identity)
  payer.apps.set(step.place, { ...app, untilMs: 0 })
}

/** The owner approves a payment that waits. All limits decide it again, except the approval threshold. */
export async function approveStep(
  run: LimitsRun,
  step: { node: number; payer: number; approval: number },
): Promise<void> {
  const payer = payerAt(run, step.payer)
  const [asked] = takeAsked(payer, step.approval, 1)
  if (asked === undefined) return
  const { payee, amount, app, askedMs } = asked
  const node = nodeAt(run, step.node)
  const nowMs = await decidedMs(run, node, [payer.id, payee])
  const approval = await approvalOf(run.stage.database, { approval_id: asked.approvalId })
  const result = await responseOf(approve(node, approval).then(({ made }) => found(made.payment)))
  const question = { ...{ layers: approvedLayers(layersOf(payer)), history: historyOf(payer) }, payee, nowMs }
  note(run, result)
  if (askedMs + DAY_MS <= nowMs || isEnded({ ...question, app: current(payer, app) })) {
    deepEqual(result.kind === 'refused' && result.code, 'conflict')
    return
  }
  expectSame(result, { ...question, app }, amount)
  if (result.kind !== 'paid') {
    payer.asked.push(asked)
    return
  }
  countStep(run, app === null ? 'approved' : 'approved for an app')
  payer.history.push({ payee, amount, atMs: result.atMs, ...ofApp(app) })
}

/** Takes payments that wait, the first of them at this index. */
export function takeAsked({ asked }: Payer, index: number, count: number): AskedPayment[] {
  return asked.splice(index % Math.max(1, asked.length), count)
}

/** The app as it is now: it may have been disconnected since it asked. */
function current({ apps }: Pick<Payer, 'apps'>, app: PlainApp | null): PlainApp | null {
  return app === null ? null : (appWithId({ apps }, app.id) ?? { ...app, untilMs: 0 })
}

function approvedLayers(layers: PlainLayers): PlainLayers {
  return layers.map(([layer, controls]) => [layer, { ...controls, require_human_approval_above_paise: null }])
}

/** Any amount waits for the owner if the agent asks for it. */
export function askedLayers(layers: PlainLayers): PlainLayers {
  return [...layers, ['agent', { require_human_approval_above_paise: -1n }]]
}

/** The apps of a payer that may act. */
export function openApps({ apps }: Payer, nowMs: number): ConnectedPlainApp[] {
  return [...apps.values()].filter(({ untilMs }) => untilMs > nowMs)
}

/** The app with this id that is, or was last, in a place of the payer. */
export function appWithId({ apps }: Pick<Payer, 'apps'>, id: Uuid | null): PlainApp | null {
  return [...apps.values()].find(each => each.id === id) ?? null
}
