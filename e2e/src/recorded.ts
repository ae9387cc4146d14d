import { randomUUID } from 'node:crypto'
import { type OperationId, routes } from '@batua/contract'
import type { Api, Headers, Sent } from './api.ts'
import { newAuthenticator } from './authenticator.ts'
import { ofX402 } from './call-parts.ts'
import { emptyWallets } from './empty-wallets.ts'
import { ADMIN_PHONES, logIn } from './log-in.ts'
import { enrol, pageOf } from './passkeys.ts'
import { VALID_CALLS } from './valid-calls.ts'
import type { World } from './world.ts'

/** Routes that are not read-only by their method and still record nothing in the audit log, each with its reason. */
export const UNRECORDED: Partial<Record<OperationId, string>> = {
  verifyX402Payment:
    'this one asks whether a payment was made; x402-authorizations.e2e.test.ts shows the entry of money set aside',
  evaluatePolicy: 'asks what a payment would come to, and moves nothing',
  sendOtp: 'anyone can request a code for a phone; only the login with it is recorded',
  sendAdminOtp: 'the same',
  getPasskeyOptions: 'stores nothing',
  getPasskeyLoginOptions: 'the same',
  requestStepUp: 'the same; what it confirms is recorded when it is used',
  challengeApproval: 'the same',
  allowConnectRequest:
    'its valid call needs the browser of a client’s request; connected-apps.e2e.test.ts shows its entry',
  registerListing: 'its valid call has no web server to read; discovery.e2e.test.ts shows its entry',
  deleteListing: 'its valid call has nothing to remove; discovery.e2e.test.ts shows its entry',
  denyConnectRequest: 'changes nothing of anybody; the client gets a refusal',
  inviteOwner:
    'the first invitation still waits, so nothing changes; asking again after a refusal is recorded',
  receiveGatewayWebhook:
    'this one is signed by nobody and refused; what a genuine one changes is recorded there',
}

/** The valid calls of these would change nothing: what has to be done before they change something. */
const PREPARED: Partial<Record<OperationId, (world: World) => Promise<Sent>>> = {
  async resumeAgent(world) {
    const { params = {} } = VALID_CALLS.resumeAgent(world)
    await world.api.send(routes.pauseAgent, { params, headers: world.platform.headers })
    return { params }
  },
  async unfreezeOwner(world) {
    const { params = {} } = VALID_CALLS.unfreezeOwner(world)
    await world.api.send(routes.freezeOwner, { params, headers: world.adminHeaders })
    return { params }
  },
  async bulkRestoreAgents(world) {
    const { body } = VALID_CALLS.bulkRestoreAgents(world)
    await world.api.send(routes.bulkFreezeAgents, { body, headers: world.adminHeaders })
    return { body }
  },
  async deletePlatform(world) {
    await emptyWallets(world)
    return VALID_CALLS.deletePlatform(world)
  },
  async verifyOtp({ api, network, platform }) {
    const { phone } = await network.owner(platform)
    await api.ok(routes.sendOtp, { body: { phone } })
    return { body: { phone, ...(await api.ok(routes.getSandboxOtp, { params: { phone } })) } }
  },
  async verifyAdminOtp({ api }) {
    const phone = ADMIN_PHONES.fresh
    await api.ok(routes.sendAdminOtp, { body: { phone } })
    return { body: { phone, ...(await api.ok(routes.getSandboxOtp, { params: { phone } })) } }
  },
  async endOtherSessions({ api, owner }) {
    await api.ok(routes.advanceClock, { body: { advance_seconds: 31 } })
    await logIn(api, owner.phone, 'owner')
    return {}
  },
  async restoreNonce(world) {
    const call = VALID_CALLS.restoreNonce(world)
    const { params = {}, query } = VALID_CALLS.verifyTransaction(world)
    const { consume_id } = call.body as { consume_id: string }
    // Some of the payment may have been refunded before.
    const asked = { ...query, expected_amount: 1, consume: true, consume_id }
    await world.api.ok(routes.verifyTransaction, { params, query: asked, headers: world.payee.headers })
    return call
  },
  async settleX402Payment(world) {
    const { api, network, payer, payee } = world
    const nonce = randomUUID()
    const { payment_id } = await network.pay(payer, payee, 2, { reference: nonce })
    const [kind] = (await api.ok(routes.getX402Supported, {})).kinds
    return ofX402(world, { paymentId: payment_id ?? '', nonce, service: kind?.extra.service ?? '' })
  },
  async createPasskey({ api, ownerHeaders }) {
    const { challenge } = await api.ok(routes.getPasskeyOptions, { headers: ownerHeaders })
    return { body: { name: 'Phone', response: newAuthenticator(pageOf(api)).register(challenge) } }
  },
  async deletePasskey({ api, ownerHeaders }) {
    const { passkeyId } = await enrol(api, ownerHeaders)
    return { params: { passkey_id: passkeyId } }
  },
  async keepPasskey({ api, ownerHeaders }) {
    const { passkeyId } = await enrol(api, ownerHeaders)
    const params = { passkey_id: passkeyId }
    await api.ok(routes.deletePasskey, { params, headers: ownerHeaders })
    return { params }
  },
  async requestStepUp(world) {
    await enrol(world.api, world.ownerHeaders)
    return VALID_CALLS.requestStepUp(world)
  },
  async challengeApproval(world) {
    await enrol(world.api, world.ownerHeaders)
    return VALID_CALLS.challengeApproval(world)
  },
  async logInByPasskey({ api, ownerHeaders }) {
    const { authenticator } = await enrol(api, ownerHeaders)
    const { challenge } = await api.ok(routes.getPasskeyLoginOptions)
    return { body: { response: authenticator.sign(challenge) } }
  },
  async updateTier(world) {
    // Of all owners, so another test may have made the same change before.
    const [params, headers] = [{ tier: 'tier3' } as const, world.adminHeaders]
    await world.api.ok(routes.updateTier, { params, headers, body: { per_tx: 100_000 } })
    return { params, body: { per_tx: 90_000 } }
  },
  nameTreasury: async ({ organization, payee }) => ({
    params: { org_id: organization.id },
    body: { agent_id: payee.id },
  }),
  completeSandboxPayment: async ({ session }) => ({
    params: { payment_session_id: session.payment_session_id },
    body: { outcome: 'success' },
  }),
  advanceClock: async () => ({ body: { advance_seconds: 1 } }),
}

/** A call that changes something, without a credential. */
export async function changingCall(operation: OperationId, world: World): Promise<Sent> {
  const prepare = PREPARED[operation]
  return prepare === undefined ? VALID_CALLS[operation](world) : prepare(world)
}

/** The number of leaves of the audit log once all waiting ones are integrated. */
export async function sizeOfLog(api: Api, headers: Headers): Promise<number> {
  await api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })
  const { checkpoint } = await api.ok(routes.getCheckpoint, { headers })
  // The second line of a C2SP checkpoint.
  return Number(checkpoint.split('\n')[1])
}
