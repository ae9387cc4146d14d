import { type ResponseOf, routes } from '@batua/contract'
import type { Api, Headers } from './api.ts'
import type { SignedObject } from './independent-verifier.ts'
import type { Agent, Network } from './network.ts'

type Reply<Name extends keyof typeof routes> = ResponseOf<(typeof routes)[Name]>

/** Everything that the service signs about one payment, as its payer and a stranger get it over HTTP. */
export interface SignedObjects {
  readonly receipt: Reply<'getReceipt'>
  readonly strangersReceipt: Reply<'verifyReceipt'>
  readonly certificate: Reply<'getCertificate'>
  readonly strangersCertificate: Reply<'getCertificate'>
  readonly identity: Reply<'verifyIdentity'>
  readonly proof: Reply<'getMembershipProof'>
  readonly paymentEntry: Reply<'verifyAuditEntry'>
  readonly strangersEntry: Reply<'verifyAuditEntry'>
  /** Of a change other than a payment. */
  readonly creationEntry: Reply<'verifyAuditEntry'>
  readonly checkpoint: Reply<'getCheckpoint'>
}

export async function collectSignedObjects(api: Api, network: Network): Promise<SignedObjects> {
  const owner = await network.owner(await network.platform())
  const payer = await network.fundedAgent(owner)
  const payee = await network.agent(owner)
  const stranger = await network.agent(await network.owner(await network.platform()))
  const paid = await network.pay(payer, payee, 100, {
    reference: 'invoice-1',
    note: 'Zwölf Seiten ✓\n“fine”',
  })
  const receipt = { params: { receipt_id: paid.receipt_id ?? '' } }
  const identity = await api.ok(routes.verifyIdentity, of(stranger, payer))
  const certificate = { params: { cert_id: identity.certificate_id ?? '' } }
  const payment = await entryOf(api, payer, 'payment.completed')
  return {
    receipt: await api.ok(routes.getReceipt, { ...receipt, headers: payer.headers }),
    strangersReceipt: await api.ok(routes.verifyReceipt, { ...receipt, headers: stranger.headers }),
    certificate: await api.ok(routes.getCertificate, { ...certificate, headers: owner.platform.headers }),
    strangersCertificate: await api.ok(routes.getCertificate, { ...certificate, headers: stranger.headers }),
    identity,
    proof: await api.ok(routes.getMembershipProof, { headers: payer.headers }),
    paymentEntry: await verified(api, payer.headers, payment),
    strangersEntry: await verified(api, stranger.headers, payment),
    creationEntry: await verified(api, payer.headers, await entryOf(api, payer, 'agent.created')),
    checkpoint: await api.ok(routes.getCheckpoint, { headers: stranger.headers }),
  }
}

function of(caller: Agent, agent: Agent) {
  return { params: { agent_id: agent.id }, headers: caller.headers }
}

async function entryOf(api: Api, agent: Agent, action: string): Promise<string> {
  const { entries } = await api.ok(routes.listAuditEntries, { ...of(agent, agent), query: { action } })
  const [entry] = entries
  if (entry === undefined) throw new Error(`the trail has no ${action}`)
  return entry.audit_id
}

function verified(api: Api, headers: Headers, audit_id: string): Promise<Reply<'verifyAuditEntry'>> {
  return api.ok(routes.verifyAuditEntry, { headers, query: { audit_id } })
}

/** The signed content of each, by the contract (section 7). */
export function signedObjects({ receipt, certificate, identity, proof }: SignedObjects): SignedObject[] {
  const { id, agent_id, issuer, subject, public_key, capabilities, tier, issued_at, expires_at, key_id } =
    certificate
  const ten = { id, agent_id, issuer, subject, public_key, capabilities, tier, issued_at, expires_at, key_id }
  const all = ({
    signature: _signature,
    token: _token,
    ...rest
  }: {
    signature: string
    token: string | null
  }) => rest
  const thing = (
    name: string,
    content: object & { key_id?: string },
    { signature, token }: { readonly signature: string; readonly token: string | null },
  ) => ({
    name,
    content,
    keyId: content.key_id ?? '',
    signature,
    token: token ?? '',
    typ: `${name.replace(' ', '-')}+jwt`,
  })
  return [
    thing('receipt', all(receipt), receipt),
    thing('certificate', ten, certificate),
    thing('identity', all(identity), identity),
    thing('membership proof', proof.proof, proof),
  ]
}
