import type { EventName } from '@batua/sdk'
import type { Stage, StageAgent } from './trigger-stage.ts'

/** Makes an event happen. */
export type Scenario = (stage: Stage) => Promise<void>

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S
/** Until the bank of the sandbox has paid, and a little more. */
const PAYOUT_S = 120
/** The bank accounts of the sandbox whose payouts fail. */
const FAILING_ACCOUNT = '900000000006'

/** Each event of the service, and how it comes about. */
export const SCENARIOS: { readonly [Name in EventName]?: Scenario } = {
  'agent.funded': async stage => {
    await stage.fund(await agentOfNewOwner(stage), 'success')
  },
  'agent.funding.failed': async stage => {
    await stage.fund(await agentOfNewOwner(stage), 'failure')
  },
  'agent.funding.reversed': async stage =>
    stage.chargeBack(await stage.fund(await agentOfNewOwner(stage), 'success')),
  'agent.payment.sent': async stage => void (await payment(stage)),
  'agent.payment.received': async stage => void (await payment(stage)),
  'agent.payment.refunded': async stage => {
    const { payee, paymentId } = await payment(stage)
    await payee.client.refundPayment({ payment_id: paymentId })
  },
  'agent.escrow.held': async stage => void (await hold(stage)),
  'agent.escrow.released': async stage => {
    const { escrowId, payee } = await hold(stage)
    await stage.client.releaseEscrow({ escrow_id: escrowId, to_agent_id: payee.id })
  },
  'agent.escrow.refunded': async stage => {
    await stage.client.refundEscrow({ escrow_id: (await hold(stage)).escrowId })
  },
  'agent.authorization.created': async stage => void (await authorization(stage)),
  'agent.authorization.captured': async stage => void (await captured(stage)),
  'agent.authorization.closing': async stage => {
    const { payer, authorizationId } = await authorization(stage)
    await payer.client.closeAuthorization({ authorization_id: authorizationId })
  },
  'agent.authorization.closed': async stage => {
    const { payee, authorizationId } = await captured(stage)
    await payee.client.closeAuthorization({ authorization_id: authorizationId })
  },
  'agent.settlement.completed': async stage => {
    const agent = await verifiedAgent(stage)
    await stage.fund(agent, 'success')
    await waitUntilPaidOut(stage, agent)
  },
  'agent.withdrawal.completed': async stage => {
    const agent = await verifiedAgent(stage)
    await stage.fund(agent, 'success')
    await stage.client.withdraw({ agent_id: agent.id })
    await stage.wait(PAYOUT_S)
  },
  'agent.withdrawal.failed': async stage => {
    const agent = await verifiedAgent(stage, FAILING_ACCOUNT)
    await stage.fund(agent, 'success')
    await stage.client.withdraw({ agent_id: agent.id })
    await stage.wait(PAYOUT_S)
  },
  'agent.approval.requested': async stage => void (await request(stage)),
  'agent.approval.approved': async stage => {
    const { approvalId, owner } = await request(stage)
    await (await stage.logIn(owner)).approve({ approval_id: approvalId })
  },
  'agent.approval.rejected': async stage => {
    const { approvalId, owner } = await request(stage)
    await (await stage.logIn(owner)).reject({ approval_id: approvalId, reason: 'Triggered' })
  },
  'agent.approval.expired': async stage => {
    await request(stage)
    await stage.wait(DAY_S + 60)
  },
  'agent.status.changed': async stage => {
    await stage.client.pauseAgent({ agent_id: (await agentOfNewOwner(stage)).id })
  },
  'agent.app.connected': async stage => {
    const owner = await stage.owner()
    await stage.connectApp(await stage.agent(owner), owner)
  },
  'certificate.revoked': async stage => {
    const { certificates } = await stage.client.listCertificates({
      agent_id: (await agentOfNewOwner(stage)).id,
    })
    await stage.client.revokeCertificate({ cert_id: certificates[0]?.id ?? '', reason: 'Triggered' })
  },
  'owner.kyc.updated': async stage => stage.verify(await stage.owner()),
  'owner.link.updated': async stage => void (await stage.logIn(await stage.owner())),
  'risk.alert.opened': async stage => {
    const { payer, payee } = await pair(stage)
    for (let paid = 0; paid < SUSPICIOUS_PAYMENTS; paid++)
      await payer.client.pay({ agent_id: payer.id, to: payee.id, amount: 1 })
    await stage.wait(10)
  },
  'webhook.test': async stage => void (await stage.client.testWebhook()),
}

/** So many in a minute are a spike (rule `velocity_spike`). */
const SUSPICIOUS_PAYMENTS = 25

async function agentOfNewOwner(stage: Stage): Promise<StageAgent> {
  return stage.agent(await stage.owner())
}

async function verifiedAgent(stage: Stage, bankAccount?: string): Promise<StageAgent> {
  const owner = await stage.owner()
  await stage.verify(owner, bankAccount)
  return stage.agent(owner)
}

async function pair(stage: Stage) {
  const owner = await stage.owner()
  const [payer, payee] = [await stage.agent(owner), await stage.agent(owner)]
  await stage.fund(payer, 'success')
  return { payer, payee }
}

async function payment(stage: Stage) {
  const { payer, payee } = await pair(stage)
  const { payment_id } = await payer.client.pay({ agent_id: payer.id, to: payee.id, amount: 50 })
  return { payee, paymentId: payment_id ?? '' }
}

async function hold(stage: Stage) {
  const { payer, payee } = await pair(stage)
  const held = await stage.client.holdEscrow({ agent_id: payer.id, amount: 50, to_agent_id: payee.id })
  return { payee, escrowId: held.escrow_id ?? '' }
}

async function authorization(stage: Stage) {
  const { payer, payee } = await pair(stage)
  const made = await payer.client.authorize({ agent_id: payer.id, to: payee.id, amount: 50 })
  return { payer, payee, authorizationId: made.authorization_id ?? '' }
}

async function captured(stage: Stage) {
  const opened = await authorization(stage)
  const { payee, authorizationId } = opened
  await payee.client.captureAuthorization({ authorization_id: authorizationId, total: 20 })
  return opened
}

async function request(stage: Stage) {
  const owner = await stage.owner()
  const payer = await stage.agent(owner, { require_human_approval_above: 10 })
  const payee = await stage.agent(owner)
  await stage.fund(payer, 'success')
  const { approval_id } = await payer.client.pay({ agent_id: payer.id, to: payee.id, amount: 50 })
  return { approvalId: approval_id ?? '', owner }
}

/** Two business days may be a long weekend apart. */
const MOST_DAYS = 12

async function waitUntilPaidOut(stage: Stage, agent: StageAgent): Promise<void> {
  for (let day = 0; day < MOST_DAYS; day++) {
    await stage.wait(DAY_S)
    const { available } = await stage.client.getBalance({ agent_id: agent.id })
    if (available > 0) continue
    return stage.wait(PAYOUT_S)
  }
}
