import { randomUUID } from 'node:crypto'
import { refundCommand, releaseCommand } from '../../domains/payments/escrow/end.ts'
import { holdCommand } from '../../domains/payments/escrow/hold.ts'
import { selectEscrow } from '../../domains/payments/escrow/store.ts'
import { type PaymentOrder, pay } from '../../domains/payments/pay.ts'
import { HOUR_MS } from '../../kernel/clock.ts'
import { parseId } from '../../kernel/ids.ts'
import { service } from '../../operations/facts.ts'
import { order } from '../builders.ts'
import { TEST_VAULT } from '../database.ts'
import { intent } from '../escrows.ts'
import type { MoneyNode } from './node.ts'
import { resultOf, tried } from './steps.ts'
import type { MoneyWorld } from './world.ts'

/** One agent pays another. Without a response it repeats the request with the same key. */
export async function payAnother(world: MoneyWorld, node: MoneyNode): Promise<void> {
  const { random, people } = world
  const [payer, payee] = [random.pick(people), random.pick(people)]
  const wanted = order(payer.agentId, payee.agentId, BigInt(random.between(1, 60_000)), {
    keyHash: payer.keyHash,
    idempotencyKey: randomUUID(),
  })
  let by = node
  for (;;) {
    const response = await resultOf(world, pay(by.ledger, by.agents, wanted))
    if (response.kind === 'response') return notePayment(world, wanted)
    if (response.kind === 'refused') {
      // The request whose response was lost has used the key.
      if (response.error.code === 'idempotency_error') notePayment(world, wanted)
      return
    }
    by = livingNode(world)
  }
}

function livingNode({ nodes, random }: MoneyWorld): MoneyNode {
  return random.pick(nodes.filter(({ life }) => !life.isOver()))
}

const LEAST_FEE_PAISE = 100n

/** The fee by the interface: 0.5 percent, rounded half up, at least 1 INR. */
function notePayment({ payments }: MoneyWorld, { payerId, payeeId, amountPaise }: PaymentOrder): void {
  const share = (amountPaise * 5n + 500n) / 1_000n
  const feePaise = share > LEAST_FEE_PAISE ? share : LEAST_FEE_PAISE
  payments.push({ from: payerId, to: payeeId ?? '', amountPaise, feePaise })
}

/** A hold, with or without a recipient, with or without a timeout. */
export async function holdMoney(world: MoneyWorld, { ledger, agents }: MoneyNode): Promise<void> {
  const { random, people, escrows } = world
  const [payer, payee] = [random.pick(people), random.pick(people)]
  const isTimed = random.chance(0.6)
  const wanted = intent(payer.agentId, BigInt(random.between(1, 60_000)), {
    toAgentId: random.chance(0.7) ? payee.agentId : null,
    timeoutMs: isTimed ? random.between(1, 48) * HOUR_MS : null,
    autoAction: isTimed ? random.pick(['refund', 'release'] as const) : null,
  })
  const response = await resultOf(
    world,
    ledger.submit(holdCommand(agents, wanted, { actor: service('test'), keyHash: null })),
  )
  const id = response.kind === 'response' ? parseId('esc', response.response.escrow_id ?? '') : null
  if (id !== null) escrows.push(id)
}

/** Ends an escrow, which may have ended already; the other node may get the opposite request at the same time. */
export async function endEscrow(world: MoneyWorld, node: MoneyNode): Promise<void> {
  const { random, escrows, people, outside } = world
  if (escrows.length === 0) return
  const escrow = await selectEscrow(outside, TEST_VAULT, random.pick(escrows.slice(-50)))
  if (escrow === null) return
  const payeeId = escrow.toAgentId ?? random.pick(people).agentId
  const release = (by: MoneyNode) =>
    tried(world, by.ledger.submit(releaseCommand(by.agents, { escrow, payeeId, actor: service('test') })))
  const refund = (by: MoneyNode) =>
    tried(world, by.ledger.submit(refundCommand(by.agents, escrow, service('test'))))
  const first = random.pick([release, refund])
  await Promise.all([first(node), random.chance(0.3) ? refund(random.pick(world.nodes)) : null])
}
