import { randomUUID } from 'node:crypto'
import { refundCommand, releaseCommand } from '../../domains/payments/escrow/end.ts'
import { holdCommand } from '../../domains/payments/escrow/hold.ts'
import { selectEscrow } from '../../domains/payments/escrow/store.ts'
import { type PaymentOrder, pay } from '../../domains/payments/pay.ts'
import { HOUR_MS } from '../../kernel/clock.ts'
import { parseId } from '../../kernel/ids.ts'
import { service } from '../../operations/act.ts'
import { order } from '../builders.ts'
import { TEST_VAULT } from '../database.ts'
import { intent } from '../escrows.ts'
import type { MoneyNode } from './node.ts'
import { heard, tried } from './steps.ts'
import type { MoneyWorld } from './world.ts'

/** One agent pays another. Who hears nothing asks again under the same key until it knows. */
export async function payAnother(world: MoneyWorld, node: MoneyNode): Promise<void> {
  const { dice, people } = world
  const [payer, payee] = [dice.pick(people), dice.pick(people)]
  const wanted = order(payer.agentId, payee.agentId, BigInt(dice.between(1, 60_000)), {
    keyHash: payer.keyHash,
    idempotencyKey: randomUUID(),
  })
  let by = node
  for (;;) {
    const answer = await heard(world, pay(by.ledger, by.agents, wanted))
    if (answer.kind === 'answer') return notePayment(world, wanted)
    if (answer.kind === 'refused') {
      // The key was used up by the request whose answer was lost.
      if (answer.error.code === 'idempotency_error') notePayment(world, wanted)
      return
    }
    by = livingNode(world)
  }
}

function livingNode({ nodes, dice }: MoneyWorld): MoneyNode {
  return dice.pick(nodes.filter(({ life }) => !life.isOver()))
}

const LEAST_FEE_PAISE = 100n

/** The fee as the interface has it: half a percent, half up, at least one rupee. */
function notePayment({ payments }: MoneyWorld, { payerId, payeeId, amountPaise }: PaymentOrder): void {
  const share = (amountPaise * 5n + 500n) / 1_000n
  const feePaise = share > LEAST_FEE_PAISE ? share : LEAST_FEE_PAISE
  payments.push({ from: payerId, to: payeeId ?? '', amountPaise, feePaise })
}

/** Money is set aside, for somebody or for nobody yet, with a timeout or for ever. */
export async function holdMoney(world: MoneyWorld, { ledger, agents }: MoneyNode): Promise<void> {
  const { dice, people, escrows } = world
  const [payer, payee] = [dice.pick(people), dice.pick(people)]
  const isTimed = dice.chance(0.6)
  const wanted = intent(payer.agentId, BigInt(dice.between(1, 60_000)), {
    toAgentId: dice.chance(0.7) ? payee.agentId : null,
    timeoutMs: isTimed ? dice.between(1, 48) * HOUR_MS : null,
    autoAction: isTimed ? dice.pick(['refund', 'release'] as const) : null,
  })
  const answer = await heard(world, ledger.submit(holdCommand(agents, wanted, service('test'))))
  const id = answer.kind === 'answer' ? parseId('esc', answer.answer.escrow_id ?? '') : null
  if (id !== null) escrows.push(id)
}

/** Someone ends an escrow, maybe one that has ended; another node may be asked for the opposite at the same time. */
export async function endEscrow(world: MoneyWorld, node: MoneyNode): Promise<void> {
  const { dice, escrows, people, outside } = world
  if (escrows.length === 0) return
  const escrow = await selectEscrow(outside, TEST_VAULT, dice.pick(escrows.slice(-50)))
  if (escrow === null) return
  const payeeId = escrow.toAgentId ?? dice.pick(people).agentId
  const release = (by: MoneyNode) =>
    tried(
      world,
      by.ledger.submit(
        releaseCommand(by.agents, { escrow, payeeId, onePlatform: true, actor: service('test') }),
      ),
    )
  const refund = (by: MoneyNode) =>
    tried(world, by.ledger.submit(refundCommand(by.agents, escrow, service('test'))))
  const first = dice.pick([release, refund])
  await Promise.all([first(node), dice.chance(0.3) ? refund(dice.pick(world.nodes)) : null])
}
