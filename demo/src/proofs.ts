import { type Balance, type Receipt, routes, type ServiceKeys, type Transaction } from '@batua/contract'
import type { Agents } from './cast.ts'
import { inPaise, inr, paise, sum } from './money.ts'
import { isSigned } from './signature-check.ts'
import { type Actor, insist, type Stage } from './stage.ts'

export async function checkReceipt(
  { client, paper }: Stage,
  { payee }: Agents,
  paymentId: string,
): Promise<void> {
  paper.chapter('The receipt is verified without asking the service')
  const receipt = await client.ok(routes.getReceipt, {
    params: { receipt_id: paymentId },
    headers: payee.headers,
  })
  const keys = await client.ok(routes.getServiceKeys)
  paper.facts([
    ['receipt', receipt.receipt_id],
    ['says', `@${receipt.from_handle} paid @${receipt.to_handle} ${inr(receipt.amount)} INR`],
    ['signed by', `${receipt.issuer}, ${receipt.key_id}`],
  ])
  insist(isGenuine(receipt, keys), 'the signature fits the published key')
  paper.proof('Verified here, with the published key and Node alone: genuine.')
  insist(!isGenuine({ ...receipt, amount: 4000 }, keys), 'a changed receipt does not verify')
  paper.proof(`The same receipt over ${inr(4000)} INR: forged.`)
}

/** A receipt is signed without its signature and token. */
function isGenuine({ signature, token: _token, ...content }: Receipt, keys: ServiceKeys): boolean {
  return isSigned(content, signature, keys)
}

/** A wallet at the end of the demo. */
export interface Wallet {
  readonly balance: Balance
  readonly lines: readonly Transaction[]
}

export async function readStatements(stage: Stage, { payer, payee }: Agents): Promise<readonly Wallet[]> {
  stage.paper.chapter('Both sides read their statements')
  const wallets = [await readWallet(stage, payer), await readWallet(stage, payee)]
  return wallets
}

const EVERYTHING = 100

async function readWallet({ client, paper }: Stage, agent: Actor): Promise<Wallet> {
  const who = { params: { agent_id: agent.id }, headers: agent.headers }
  const balance = await client.ok(routes.getBalance, who)
  const { transactions } = await client.ok(routes.listTransactions, { ...who, query: { limit: EVERYTHING } })
  paper.say(`@${agent.handle}`)
  paper.table([['type', 'amount', 'fee', 'net', 'with', 'reference'], ...transactions.map(rowOf)], [1, 2, 3])
  paper.facts([['available', `${inr(balance.available)} INR`]])
  return { balance, lines: transactions }
}

function rowOf(line: Transaction): string[] {
  const net = inPaise(change(line))
  const gained = change(line) > 0n ? `+${net}` : net
  const other = line.counterparty_name ?? 'the bank'
  return [line.type, inr(line.amount), inr(line.fee), gained, other, line.reference?.slice(0, 13) ?? '']
}

/** The effect of a statement line on its wallet. */
function change({ type, net_amount: net }: Transaction): bigint {
  return type === 'fund' || type === 'pay_in' ? paise(net) : -paise(net)
}

export function proveSums({ paper }: Stage, wallets: readonly Wallet[]): void {
  paper.chapter('All amounts add up')
  for (const { balance, lines } of wallets) {
    insist(sum(lines.map(change)) === paise(balance.available), 'a statement adds up to its balance')
  }
  paper.proof('Each statement adds up to its balance, to the paisa.')

  const lines = wallets.flatMap(wallet => wallet.lines)
  const paidIn = sum(lines.map(line => (line.type === 'fund' ? paise(line.amount) : 0n)))
  const gatewayFees = sum(lines.map(line => (line.type === 'fund' ? paise(line.fee) : 0n)))
  const fees = sum(lines.map(line => (line.type === 'fund' ? 0n : paise(line.fee))))
  const bank = sum(lines.map(line => (line.type === 'withdraw' ? paise(line.amount) : 0n)))
  const [researcher = 0n, translator = 0n] = wallets.map(({ balance }) => paise(balance.available))
  const together = researcher + translator + bank + fees + gatewayFees
  paper.table(
    [
      ['where the money is', 'INR'],
      ['the researcher’s wallet', inPaise(researcher)],
      ['the translator’s wallet', inPaise(translator)],
      ['the owner’s bank', inPaise(bank)],
      ['fees on payments', inPaise(fees)],
      ['the gateway’s fee', inPaise(gatewayFees)],
      ['together', inPaise(together)],
      ['what the owner paid', inPaise(paidIn)],
    ],
    [1],
  )
  insist(together === paidIn, 'all parts add up to what was paid in')
  paper.proof('All parts add up to what the owner paid.')
}
