import { randomUUID } from 'node:crypto'
import { type Withdrawn, withdrawCommand } from '../../domains/banking/payouts/withdraw.ts'
import { selectOwner } from '../../domains/parties/owners/store.ts'
import { submitKyc } from '../../domains/parties/owners/submit-kyc.ts'
import { paise } from '../../kernel/money.ts'
import { service } from '../../operations/facts.ts'
import { MAGIC_RUPEES } from './funding-steps.ts'
import type { MoneyNode } from './node.ts'
import { PAYABLE_ACCOUNTS, REFUSED_ACCOUNTS } from './people.ts'
import { type Result, resultOf, tried } from './steps.ts'
import type { MoneyWorld } from './world.ts'

const MAGIC_SHARE = 0.1
const WHOLE_SHARE = 0.2

/** A withdrawal. Some requests are sent twice, to both nodes at once or one after the other. */
export async function withdrawMoney(world: MoneyWorld, node: MoneyNode): Promise<void> {
  const { random } = world
  const { agentId } = random.pick(world.people)
  const wanted = random.chance(MAGIC_SHARE)
    ? random.pick(MAGIC_RUPEES) * 100n
    : BigInt(random.between(100, 100_000))
  const amountPaise = random.chance(WHOLE_SHARE) ? null : paise(wanted)
  const order = {
    agentId,
    amountPaise,
    requestKey: randomUUID(),
    idempotencyKey: randomUUID(),
    actor: service('test'),
  }
  const ask = (by: MoneyNode) => resultOf(world, by.ledger.submit(withdrawCommand(by.payouts, order)))
  const other = random.pick(world.nodes)
  const atOnce = random.chance(0.2)
  const [first, second] = await Promise.all([ask(node), atOnce ? ask(other) : null])
  const again = first.kind === 'nothing' || random.chance(0.1) ? await ask(random.pick(world.nodes)) : null
  expectOnePayout(world, [first, second, again])
}

/** All responses to one request must name the same payout. */
function expectOnePayout(world: MoneyWorld, responses: readonly (Result<Withdrawn> | null)[]): void {
  const ids = responses.flatMap(result => (result?.kind === 'response' ? [result.response.id] : []))
  if (ids.length > 1) world.tally.met('withdraw: asked for again')
  if (new Set(ids).size > 1) world.offences.push(`one request made several payouts: ${ids.join(', ')}`)
}

/** An owner submits a bank account, possibly another one than before. */
export async function submitAccount(world: MoneyWorld, node: MoneyNode): Promise<void> {
  const { random, outside } = world
  const owner = await selectOwner(outside, random.pick(world.people).ownerId)
  if (owner === null) return
  const bank_account = random.pick(random.chance(0.6) ? PAYABLE_ACCOUNTS : REFUSED_ACCOUNTS)
  await tried(
    world,
    submitKyc(node.owners, service('test'), owner, { bank_account, bank_ifsc: 'HDFC0001234' }),
  )
}
