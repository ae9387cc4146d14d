import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { routes } from '@batua/contract'
import { createAgent, newHandle, signUpPlatform, verifyOwner } from './cast.ts'
import { addressIn, openClient, requireSandbox } from './client.ts'
import { silentPaper } from './paper.ts'
import { fundWallet } from './payments.ts'
import { runCommand } from './run-command.ts'
import { insist } from './stage.ts'

const USAGE = `Creates a platform, a verified owner and two agents in a service in sandbox mode, funds one, and pays the other from it.
Prints shell commands that set their ids and credentials and define the functions that the pages of docs/ use.

  eval "$(npm run --silent seed)"

BASE_URL is the service's address, by default http://localhost:8080. Exits with 0, or with 1 if it failed.
`

/** The variables for the commands of the guides. */
const COMMANDS = `call() { curl -sS -w '\\n' -H 'content-type: application/json' "$@"; }
pick() { node -e 'const v = JSON.parse(fs.readFileSync(0)); const at = process.argv[1]; const found = at ? new Function("v", "return v." + at)(v) : v; if (found === undefined) { console.error(JSON.stringify(v)); process.exit(1) } console.log(found)' "$@"; }
platform() { call -H "x-platform-id: $ID" -H "x-platform-secret: $SECRET" "$@"; }
buyer() { call -H "x-agent-key: $BUYER_KEY" "$@"; }
seller() { call -H "x-agent-key: $SELLER_KEY" "$@"; }
`

/** Names and values of the variables, as the guides use them. */
async function seed(address: string): Promise<Record<string, string>> {
  await requireSandbox(address)
  const client = openClient(address, { onCall: () => undefined, onWait: () => undefined })
  const stage = { client, paper: silentPaper }
  const platform = await signUpPlatform(stage)
  const owner = await verifyOwner(stage, platform.headers)
  const [payer, payee] = await Promise.all(
    ['Buyer', 'Seller'].map(name =>
      createAgent(stage, platform.headers, {
        name,
        handle: newHandle(name.toLowerCase()),
        owner_id: owner.id,
      }),
    ),
  )
  insist(payer !== undefined && payee !== undefined, 'two agents are made')
  await fundWallet(stage, payer)
  const payment = await client.ok(routes.pay, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: { to: payee.handle, amount: 400, reference: 'invoice-2041', idempotency_key: randomUUID() },
  })
  return {
    B: address,
    ID: platform.id,
    SECRET: platform.headers['x-platform-secret'] ?? '',
    WEBHOOK_SECRET: platform.webhookSecret,
    OWNER: owner.id,
    PHONE: owner.phone,
    BUYER: payer.id,
    BUYER_HANDLE: payer.handle,
    BUYER_KEY: payer.key,
    SELLER: payee.id,
    SELLER_HANDLE: payee.handle,
    SELLER_KEY: payee.key,
    PAYMENT: payment.payment_id ?? '',
  }
}

await runCommand(async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
  if (values.help) return USAGE
  const made = await seed(addressIn(process.env['BASE_URL']))
  const lines = Object.entries(made).map(([name, value]) => `export ${name}='${value}'\n`)
  return lines.join('') + COMMANDS
})
