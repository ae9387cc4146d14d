import type { PolicyLayer } from '@batua/contract'
import { evaluateCommand } from '../../domains/payments/evaluate.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { type ControlColumns, order } from '../builders.ts'
import { addOwner, setLayer, setTier, wholeTier } from './layers.ts'
import { allocateStep } from './limits-allocations.ts'
import { approveStep, askedLayers, connectStep, disconnectStep } from './limits-apps.ts'
import { endStep, holdStep } from './limits-holds.ts'
import { mixStep } from './limits-mix.ts'
import {
  type Jump,
  type LimitsProgram,
  PAYERS,
  type Payment,
  type Step,
  WALLETS,
  type Wish,
} from './limits-program.ts'
import { mostByScan, type PastPayment, type Question } from './limits-reference.ts'
import {
  type DecisionResult,
  expectHeadroom,
  expectSame,
  isEnded,
  responseOf,
  resultOf,
} from './limits-results.ts'
import type { LimitsStage, StageNode } from './limits-stage.ts'
import {
  appAt,
  type ConnectedPlainApp,
  decidedMs,
  found,
  historyOf,
  type LimitsRun,
  layersOf,
  look,
  nodeAt,
  note,
  ofApp,
  type Payer,
  payerAt,
  questionOf,
  type Way,
  walletAt,
} from './limits-state.ts'

/** Runs a program on new wallets and fails at the first result that differs from the reference's. */
export async function runLimitsProgram(
  stage: LimitsStage,
  program: LimitsProgram,
  tally: Map<string, number>,
): Promise<void> {
  stage.setClocks(new Date(program.startMs))
  const ids: Uuid[] = []
  for (let at = 0; at < WALLETS; at++) ids.push(at < PAYERS ? await stage.newPayer() : await stage.newPayee())
  const payers = ids.slice(0, PAYERS).map((id): Payer => {
    return {
      id,
      layers: new Map([['tier', wholeTier({})]]),
      history: [],
      releases: [],
      held: new Map(),
      apps: new Map(),
      asked: [],
    }
  })
  for (const { id } of payers) await addOwner(stage.database, id, new Date(program.startMs))
  const run: LimitsRun = { stage, wallets: ids, payers, tally }
  for (const step of program.steps) await runStep(run, step)
}

async function runStep(run: LimitsRun, step: Step): Promise<void> {
  switch (step.do) {
    case 'pay':
      return payStep(run, step, step.amount, step.simulate)
    case 'ask':
      return askStep(run, step)
    case 'approve':
      return approveStep(run, step)
    case 'connect':
      return connectStep(run, step)
    case 'disconnect':
      return disconnectStep(run, step)
    case 'brim':
      return brimStep(run, step)
    case 'look':
      return lookStep(run, step)
    case 'set':
      return setStep(run, step)
    case 'wait':
      for (const at of step.clocks) await moveClock(run, nodeAt(run, at), step.jump)
      return
    case 'race':
      return raceStep(run, step)
    case 'hold':
      return holdStep(run, step)
    case 'end':
      return endStep(run, step)
    case 'allocate':
      return allocateStep(run, step)
    case 'mix':
      return mixStep(run, step)
  }
}

/** An amount above any limit of a program. */
const WORTH_TRYING = 1_000

async function payStep(run: LimitsRun, way: Way, amount: bigint, simulate: boolean): Promise<void> {
  if (way.payer === way.payee) return
  const node = nodeAt(run, way.node)
  const payer = payerAt(run, way.payer)
  const question = await questionOf(run, way)
  if (simulate) await dryRunStep(node, payer, question, amount, appAt(payer, way.by))
  const app = appAt(payer, way.by)
  const result = await responseOf(node.pay(order(payer.id, question.payee, amount, byApp(app))))
  expectSame(result, question, amount)
  note(run, result)
  noteOutcome(payer, { ...question, result, amount, app })
}

async function askStep(run: LimitsRun, way: Way & Pick<Payment, 'amount'>): Promise<void> {
  if (way.payer === way.payee) return
  const { amount } = way
  const payer = payerAt(run, way.payer)
  const question = await questionOf(run, way)
  const app = appAt(payer, way.by)
  const asking = order(payer.id, question.payee, amount, { ...byApp(app), asksOwner: true })
  const result = await responseOf(nodeAt(run, way.node).pay(asking))
  expectSame(result, { ...question, layers: askedLayers(question.layers) }, amount)
  note(run, result)
  noteOutcome(payer, { ...question, result, amount, app })
}

function byApp(app: ConnectedPlainApp | null) {
  return { app: app?.identity ?? null }
}

/** Adds a payment to what waits for the owner, or to the history. */
function noteOutcome(payer: Payer, { result, payee, amount, app, nowMs }: Reply & { nowMs: number }): void {
  if (result.kind === 'paid') payer.history.push({ payee, amount, atMs: result.atMs, ...ofApp(app) })
  if (result.kind !== 'asked' || result.approvalId === undefined) return
  payer.asked.push({ approvalId: result.approvalId, payee, amount, app, askedMs: nowMs })
}

async function brimStep(run: LimitsRun, way: Way & { readonly over: boolean }): Promise<void> {
  if (way.payer === way.payee) return
  const most = mostByScan(await questionOf(run, way))
  if (most > WORTH_TRYING) return
  const amount = BigInt(most) + (way.over ? 1n : 0n)
  if (amount > 0n) await payStep(run, way, amount, true)
}

async function dryRunStep(
  node: StageNode,
  payer: Payer,
  question: Question & { payee: Uuid },
  amount: bigint,
  app: ConnectedPlainApp | null,
): Promise<void> {
  const simulation = {
    ...{ payerId: payer.id, payeeId: question.payee, amountPaise: paise(amount) },
    ...byApp(app),
  }
  const evaluation = await node.ledger.submit(evaluateCommand(node.agents, simulation))
  expectSame(resultOf(evaluation, question.nowMs), question, amount)
}

async function lookStep(
  run: LimitsRun,
  step: { node: number; payer: number; payee: number | null; by: number },
): Promise<void> {
  const node = nodeAt(run, step.node)
  const payer = payerAt(run, step.payer)
  const payee = step.payee === null ? null : walletAt(run, step.payee)
  const nowMs = await decidedMs(run, node, [payer.id])
  const app = appAt(payer, step.by)
  const question = { layers: layersOf(payer), history: historyOf(payer), payee, nowMs, app }
  // The request of an app that was disconnected is refused before it comes here.
  if (!isEnded(question)) expectHeadroom(await look(run, node, payer, payee, app), question)
}

async function setStep(
  run: LimitsRun,
  step: { payer: number; layer: PolicyLayer; wish: Wish },
): Promise<void> {
  const { layer } = step
  const { allowed, blocked, ...rest } = step.wish
  const controls: ControlColumns = {
    ...rest,
    ...(allowed === undefined ? {} : { allowed_payees: allowed.map(at => walletAt(run, at)) }),
    ...(blocked === undefined ? {} : { blocked_payee_agents: blocked.map(at => walletAt(run, at)) }),
  }
  if (layer === 'tier') {
    await setTier(run.stage.database, 'tier3', controls, run.wallets)
    for (const payer of run.payers) payer.layers.set('tier', wholeTier(controls))
    return
  }
  const payer = payerAt(run, step.payer)
  await setLayer(run.stage.database, payer.id, layer, controls)
  payer.layers.set(layer, controls)
}

async function moveClock(run: LimitsRun, node: StageNode, jump: Jump): Promise<void> {
  const nowMs = node.clock.now().getTime()
  const target = targetOf(run, nowMs, jump)
  if (target > nowMs) node.clock.set(new Date(target))
}

function targetOf({ payers }: LimitsRun, nowMs: number, jump: Jump): number {
  if (jump.to === 'later') return nowMs + jump.ms
  if (jump.to === 'fall') {
    const past = payers.flatMap(({ history }) => history).map(({ atMs }) => atMs)
    const falls = past.map(atMs => atMs + jump.hours * 3_600_000 + jump.offMs).filter(ms => ms > nowMs)
    return falls.toSorted((left, right) => left - right)[jump.payment] ?? nowMs
  }
  const ist = new Date(nowMs + 19_800_000)
  const [year, month, day] = [ist.getUTCFullYear(), ist.getUTCMonth(), ist.getUTCDate()]
  const end = jump.to === 'month' ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, day + 1)
  return end - 19_800_000 + jump.offMs
}

/** Concurrent payments of one payer on both nodes: a serial order must exist that gives every result. */
async function raceStep(
  run: LimitsRun,
  step: { payer: number; payments: readonly Payment[] },
): Promise<void> {
  const { stage } = run
  const payer = payerAt(run, step.payer)
  const times = await Promise.all(stage.nodes.map(node => decidedMs(run, node, run.wallets)))
  const nowMs = Math.max(...times)
  stage.setClocks(new Date(nowMs))
  const works = step.payments
    .filter(({ payee }) => payee !== step.payer)
    .map(async ({ payee, amount, by }, at) => {
      const to = walletAt(run, payee)
      const app = appAt(payer, by)
      const result = await responseOf(nodeAt(run, at % 2).pay(order(payer.id, to, amount, byApp(app))))
      return { result, payee: to, amount, app }
    })
  const shown = await Promise.all(stage.nodes.map(node => look(run, node, payer, null)))
  const responses = await Promise.all(works)
  const layers = layersOf(payer)
  const stories = storiesOf({ layers, history: historyOf(payer), nowMs }, responses)
  for (const { result, payee, amount, app } of responses) {
    note(run, result)
    if (result.kind === 'paid') continue
    expectInSome(stories, history => expectSame(result, { layers, history, payee, nowMs, app }, amount))
    noteOutcome(payer, { result, payee, amount, app, nowMs })
  }
  for (const each of shown) {
    expectInSome(stories, history => expectHeadroom(each, { layers, history, payee: null, nowMs }))
  }
  payer.history.push(...found(stories.at(-1)).slice(historyOf(payer).length))
}

interface Reply {
  readonly payee: Uuid
  readonly amount: bigint
  readonly app: ConnectedPlainApp | null
  readonly result: DecisionResult
}

/** The payer's history before the race and after each payment of it. */
function storiesOf(before: Omit<Question, 'payee'>, responses: readonly Reply[]): PastPayment[][] {
  const { layers, nowMs } = before
  const stories = [[...before.history]]
  const paid = responses.flatMap(({ result, ...rest }) =>
    result.kind === 'paid' ? [{ result, ...rest }] : [],
  )
  // No other wallet pays the payer meanwhile, so its balance shows the order.
  paid.sort((left, right) => right.result.balance - left.result.balance)
  for (const { result, payee, amount, app } of paid) {
    const history = found(stories.at(-1))
    expectSame(result, { layers, history, payee, nowMs, app }, amount)
    stories.push([...history, { payee, amount, atMs: nowMs, ...ofApp(app) }])
  }
  return stories
}

/** Fails unless the result is correct at some moment of the race. */
function expectInSome(stories: readonly PastPayment[][], check: (history: PastPayment[]) => void): void {
  const failures: unknown[] = []
  for (const history of stories) {
    try {
      return check(history)
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, 'no serial order explains a result')
}
