import type { PolicyLayer } from '@batua/contract'
import { evaluateCommand } from '../../domains/payments/evaluate.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { type ControlColumns, order } from '../builders.ts'
import { addOwner, setLayer, setTier, wholeTier } from './layers.ts'
import { allocateStep } from './limits-allocations.ts'
import { endStep, holdStep, mixStep } from './limits-holds.ts'
import {
  decidedMs,
  found,
  historyOf,
  layersOf,
  look,
  nodeAt,
  note,
  type Payer,
  type Play,
  payerAt,
  questionOf,
  type Way,
  walletAt,
} from './limits-play.ts'
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
import type { LimitsStage, StageNode } from './limits-stage.ts'
import { answerOf, expectHeadroom, expectSame, type Told, toldBy } from './limits-told.ts'

/** Plays a program on new wallets and fails at the first answer that the reference does not give. */
export async function playLimits(
  stage: LimitsStage,
  program: LimitsProgram,
  tally: Map<string, number>,
): Promise<void> {
  stage.setClocks(new Date(program.startMs))
  const ids: Uuid[] = []
  for (let at = 0; at < WALLETS; at++) ids.push(at < PAYERS ? await stage.newPayer() : await stage.newPayee())
  const payers = ids.slice(0, PAYERS).map((id): Payer => {
    return { id, layers: new Map([['tier', wholeTier({})]]), history: [], releases: [], held: new Map() }
  })
  for (const { id } of payers) await addOwner(stage.database, id, new Date(program.startMs))
  const play: Play = { stage, wallets: ids, payers, tally }
  for (const step of program.steps) await playStep(play, step)
}

async function playStep(play: Play, step: Step): Promise<void> {
  switch (step.do) {
    case 'pay':
      return payStep(play, step, step.amount, step.simulate)
    case 'brim':
      return brimStep(play, step)
    case 'look':
      return lookStep(play, step)
    case 'set':
      return setStep(play, step)
    case 'wait':
      for (const at of step.clocks) await moveClock(play, nodeAt(play, at), step.jump)
      return
    case 'race':
      return raceStep(play, step)
    case 'hold':
      return holdStep(play, step)
    case 'end':
      return endStep(play, step)
    case 'allocate':
      return allocateStep(play, step)
    case 'mix':
      return mixStep(play, step)
  }
}

/** More than any limit of a program. */
const WORTH_TRYING = 1_000

async function payStep(play: Play, way: Way, amount: bigint, simulate: boolean): Promise<void> {
  if (way.payer === way.payee) return
  const node = nodeAt(play, way.node)
  const payer = payerAt(play, way.payer)
  const question = await questionOf(play, way)
  if (simulate) await rehearseStep(node, payer, question, amount)
  const told = await answerOf(node.pay(order(payer.id, question.payee, amount)))
  expectSame(told, question, amount)
  note(play, told)
  if (told.kind === 'paid') payer.history.push({ payee: question.payee, amount, atMs: told.atMs })
}

async function brimStep(play: Play, way: Way & { readonly over: boolean }): Promise<void> {
  if (way.payer === way.payee) return
  const most = mostByScan(await questionOf(play, way))
  if (most > WORTH_TRYING) return
  const amount = BigInt(most) + (way.over ? 1n : 0n)
  if (amount > 0n) await payStep(play, way, amount, true)
}

async function rehearseStep(
  node: StageNode,
  payer: Payer,
  question: Question & { payee: Uuid },
  amount: bigint,
): Promise<void> {
  const simulation = { payerId: payer.id, payeeId: question.payee, amountPaise: paise(amount) }
  const evaluation = await node.ledger.submit(evaluateCommand(node.agents, simulation))
  expectSame(toldBy(evaluation, question.nowMs), question, amount)
}

async function lookStep(
  play: Play,
  step: { node: number; payer: number; payee: number | null },
): Promise<void> {
  const node = nodeAt(play, step.node)
  const payer = payerAt(play, step.payer)
  const payee = step.payee === null ? null : walletAt(play, step.payee)
  const nowMs = await decidedMs(play, node, [payer.id])
  const shown = await look(play, node, payer, payee)
  expectHeadroom(shown, { layers: layersOf(payer), history: historyOf(payer), payee, nowMs })
}

async function setStep(play: Play, step: { payer: number; layer: PolicyLayer; wish: Wish }): Promise<void> {
  const { layer } = step
  const { allowed, blocked, ...rest } = step.wish
  const controls: ControlColumns = {
    ...rest,
    ...(allowed === undefined ? {} : { allowed_payees: allowed.map(at => walletAt(play, at)) }),
    ...(blocked === undefined ? {} : { blocked_payee_agents: blocked.map(at => walletAt(play, at)) }),
  }
  if (layer === 'tier') {
    await setTier(play.stage.database, 'tier3', controls, play.wallets)
    for (const payer of play.payers) payer.layers.set('tier', wholeTier(controls))
    return
  }
  const payer = payerAt(play, step.payer)
  await setLayer(play.stage.database, payer.id, layer, controls)
  payer.layers.set(layer, controls)
}

async function moveClock(play: Play, node: StageNode, jump: Jump): Promise<void> {
  const nowMs = node.clock.now().getTime()
  const target = targetOf(play, nowMs, jump)
  if (target > nowMs) node.clock.set(new Date(target))
}

function targetOf({ payers }: Play, nowMs: number, jump: Jump): number {
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

/** Payments of one payer side by side on both nodes: some order of theirs gives every answer. */
async function raceStep(play: Play, step: { payer: number; payments: readonly Payment[] }): Promise<void> {
  const { stage } = play
  const payer = payerAt(play, step.payer)
  const times = await Promise.all(stage.nodes.map(node => decidedMs(play, node, play.wallets)))
  const nowMs = Math.max(...times)
  stage.setClocks(new Date(nowMs))
  const works = step.payments
    .filter(({ payee }) => payee !== step.payer)
    .map(async ({ payee, amount }, at) => {
      const to = walletAt(play, payee)
      const told = await answerOf(nodeAt(play, at % 2).pay(order(payer.id, to, amount)))
      return { told, payee: to, amount }
    })
  const shown = await Promise.all(stage.nodes.map(node => look(play, node, payer, null)))
  const answers = await Promise.all(works)
  const layers = layersOf(payer)
  const stories = storiesOf({ layers, history: historyOf(payer), nowMs }, answers)
  for (const { told, payee, amount } of answers) {
    note(play, told)
    if (told.kind === 'paid') continue
    expectInSome(stories, history => expectSame(told, { layers, history, payee, nowMs }, amount))
  }
  for (const each of shown) {
    expectInSome(stories, history => expectHeadroom(each, { layers, history, payee: null, nowMs }))
  }
  payer.history.push(...found(stories.at(-1)).slice(historyOf(payer).length))
}

interface Answer {
  readonly payee: Uuid
  readonly amount: bigint
  readonly told: Told
}

/** The payer's history before the race and after each payment of it. */
function storiesOf(before: Omit<Question, 'payee'>, answers: readonly Answer[]): PastPayment[][] {
  const { layers, nowMs } = before
  const stories = [[...before.history]]
  const paid = answers.flatMap(({ told, ...rest }) => (told.kind === 'paid' ? [{ told, ...rest }] : []))
  // Nobody pays the payer meanwhile, so its balance tells the order.
  paid.sort((left, right) => right.told.balance - left.told.balance)
  for (const { told, payee, amount } of paid) {
    const history = found(stories.at(-1))
    expectSame(told, { layers, history, payee, nowMs }, amount)
    stories.push([...history, { payee, amount, atMs: nowMs }])
  }
  return stories
}

/** Fails unless the answer is right at some moment of the race. */
function expectInSome(stories: readonly PastPayment[][], check: (history: PastPayment[]) => void): void {
  const failures: unknown[] = []
  for (const history of stories) {
    try {
      return check(history)
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, 'no order explains an answer')
}
