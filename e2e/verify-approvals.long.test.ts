import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import type { Agent, Network } from './src/network.ts'
import { enrol } from './src/passkeys.ts'
import { runScript } from './src/scripts.ts'
import { openStage, type Stage } from './src/stage.ts'

const folder = mkdtempSync(join(tmpdir(), 'batua-passkeys-'))
let stage: Stage
let api: Api
let network: Network
let payer: Agent
let payee: Agent
let session: Headers

beforeAll(async () => {
  stage = await openStage()
  ;({ api, network } = stage)
  const owner = await network.owner(await network.platform())
  payer = await network.fundedAgent(owner, { require_human_approval_above: 100 })
  payee = await network.agent(owner)
  session = await network.login(owner)
})
afterAll(async () => {
  await stage.close()
  rmSync(folder, { recursive: true, force: true })
})

const save = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value))

async function resultOf(approval: object, ...more: string[]) {
  save('approval.json', approval)
  const args = ['approval.json', '--keys', 'keys.json', ...more]
  const { code, stdout } = await runScript('verify.ts', args, { cwd: folder })
  return { code, says: stdout.split('\n')[0] }
}

test('npm run verify finds an approval genuine with the enrolment of its passkey, and forged when one paisa is altered', async () => {
  const { authenticator } = await enrol(api, session)
  const { approval_id = '' } = await network.pay(payer, payee, 200)
  const params = { approval_id }
  const { challenge_id, options } = await api.ok(routes.challengeApproval, {
    params,
    headers: session,
    body: {},
  })
  const body = { challenge_id, response: authenticator.sign(options.challenge) }
  await api.ok(routes.approve, { params, headers: session, body })
  const approval = await api.ok(routes.getApproval, { params, headers: session })
  const { passkeys } = await api.ok(routes.listPasskeys, { headers: session })
  const query = { audit_id: passkeys[0]?.audit_id ?? '' }
  save('enrolment.json', await api.ok(routes.verifyAuditEntry, { query, headers: session }))
  save('keys.json', await api.ok(routes.getServiceKeys))
  const proof = ['--proof', 'enrolment.json']
  expect(await resultOf(approval, ...proof)).toEqual({
    code: 0,
    says: expect.stringMatching(
      `^genuine: approval ${approval_id} of 200 INR from ${payer.id} to ${payee.id}`,
    ),
  })
  expect(await resultOf({ ...approval, amount: 200.01 }, ...proof)).toEqual({
    code: 1,
    says: 'not genuine: the passkey confirmed something else than the record says',
  })
  expect(await resultOf(approval)).toEqual({
    code: 1,
    says: expect.stringMatching(/^cannot tell: signed by a key whose enrolment was not shown/),
  })
  const stranger = (await network.platform()).headers
  save('enrolment.json', await api.ok(routes.verifyAuditEntry, { query, headers: stranger }))
  expect((await resultOf(approval, ...proof)).says).toMatch(
    /^cannot tell: the proof of --proof: this copy leaves out/,
  )
})
