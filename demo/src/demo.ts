import { parseArgs } from 'node:util'
import { withdrawToBank } from './bank.ts'
import { createAgents, signUpPlatform, verifyOwner } from './cast.ts'
import { addressIn, openClient, requireSandbox } from './client.ts'
import { holdAndRelease } from './escrow.ts'
import { foundOrganization } from './organization.ts'
import { approvePayment, logIn, stopAgent } from './owner.ts'
import { openPaper } from './paper.ts'
import { exceedLimit, fundWallet, makePayment, recoverLostAnswer, refundPart } from './payments.ts'
import { checkReceipt, proveSums, readStatements } from './proofs.ts'
import { runCommand } from './run-command.ts'
import type { Stage } from './stage.ts'
import { tellPlatform } from './told.ts'
import { checkLog, showMembership } from './trust.ts'
import { sellWeather } from './weather.ts'

const USAGE = `Plays a whole story against a service in sandbox mode: a platform, a human, agents, payments, and what proves them.

  npm run demo

BASE_URL says where the service is; http://127.0.0.1:8080 unless set. Ends with 0, with 1 when a promise is not kept,
and with 2 when an option is wrong.
`

/** The whole story, every chapter of it true or an error. */
async function tell(stage: Stage): Promise<void> {
  const platform = await signUpPlatform(stage)
  const owner = await verifyOwner(stage, platform.headers)
  const agents = await createAgents(stage, platform.headers, owner.id)
  await fundWallet(stage, agents.payer)
  const paymentId = await makePayment(stage, agents)
  await exceedLimit(stage, agents)
  await recoverLostAnswer(stage, agents)
  await sellWeather(stage, agents)
  await refundPart(stage, agents, paymentId)
  await tellPlatform(stage, platform, agents)
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

async function play(): Promise<void> {
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
  paper.title('Batua, the whole story', `against ${address}`)
  await tell({ client, paper })
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  paper.end(`${calls} calls in ${seconds} s, and every paisa is accounted for.`)
}

await runCommand(async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
  if (values.help) return USAGE
  await play()
  return ''
})
