import { parseArgs } from 'node:util'
import { withdrawToBank } from './bank.ts'
import { createAgents, signUpPlatform, verifyOwner } from './cast.ts'
import { addressIn, openClient, requireSandbox } from './client.ts'
import { holdAndRelease } from './escrow.ts'
import { foundOrganization } from './organization.ts'
import { approvePayment, logIn, stopAgent } from './owner.ts'
import { openPaper } from './paper.ts'
import { sellWeather } from './pay-per-call.ts'
import { exceedLimit, fundWallet, makePayment, recoverLostResponse, refundPart } from './payments.ts'
import { checkReceipt, proveSums, readStatements } from './proofs.ts'
import { runCommand } from './run-command.ts'
import type { Stage } from './stage.ts'
import { checkLog, showMembership } from './trust.ts'
import { sellManyCalls } from './vouchers.ts'
import { receiveWebhooks } from './webhooks.ts'

const USAGE = `Uses each feature once in a service in sandbox mode, and checks every result: a platform, an owner, agents, payments
and their proofs.

  npm run demo

BASE_URL is the service's address, by default http://localhost:8080. Exits with 0, with 1 if a result is wrong,
and with 2 if an option is wrong.
`

/** The whole demo; a chapter that does not hold is an error. */
async function runTour(stage: Stage): Promise<void> {
  const platform = await signUpPlatform(stage)
  const owner = await verifyOwner(stage, platform.headers)
  const agents = await createAgents(stage, platform.headers, owner.id)
  await fundWallet(stage, agents.payer)
  const paymentId = await makePayment(stage, agents)
  await exceedLimit(stage, agents)
  await recoverLostResponse(stage, agents)
  await sellWeather(stage, agents)
  await sellManyCalls(stage, agents)
  await refundPart(stage, agents, paymentId)
  await receiveWebhooks(stage, platform, agents)
  const session = await logIn(stage, owner)
  await approvePayment(stage, agents, session)
  await holdAndRelease(stage, platform.headers, agents)
  await stopAgent(stage, agents, session)
  await foundOrganization(stage, agents, session)
  await withdrawToBank(stage, agents.payee)
  await showMembership(stage, agents)
  await checkReceipt(stage, agents, paymentId)
  await checkLog(stage, agents, paymentId)
  proveSums(stage, await readStatements(stage, agents))
}

async function runDemo(): Promise<void> {
  const address = addressIn(process.env['BASE_URL'])
  await requireSandbox(address)
  const paper = openPaper(process.stdout)
  let calls = 0
  const client = openClient(address, {
    onCall(method, path, status) {
      calls += 1
      paper.call(method, path, status)
    },
    onWait: seconds => paper.say(`Too many calls in this minute; waiting ${seconds} s, as the service asks…`),
  })
  const startedMs = performance.now()
  paper.title('Batua demo', `against ${address}`)
  await runTour({ client, paper })
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  paper.end(`${calls} calls in ${seconds} s, and every paisa is accounted for.`)
}

await runCommand(async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
  if (values.help) return USAGE
  await runDemo()
  return ''
})
