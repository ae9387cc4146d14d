import type { Adapter } from 'oidc-provider'
import { appActor, service } from '../../../operations/facts.ts'
import { type ConnectedApp, isOpen, noteRedeemed, selectAppOfGrant } from '../../limits/index.ts'
import { type EndReason, endCommand } from '../change-app.ts'
import type { AppsContext } from '../context.ts'
import type { ClientDocuments } from './clients.ts'
import { NETWORK_HEADER } from './endpoints.ts'
import { errors, Provider } from './library.ts'
import {
  consumeRecord,
  countClients,
  deleteRecord,
  dropOldClients,
  findRecord,
  findRecordByUid,
  grantHashOf,
  type OAuthRecord,
  type Payload,
  saveRecord,
} from './records.ts'

/** A client that registers itself and is not connected within this time is forgotten. */
const UNUSED_CLIENT_MS = 24 * 60 * 60 * 1000
/** The most clients that may have registered themselves, of all networks. */
const MOST_CLIENTS = 20_000

/** Codes and tokens that can be used once. If one is presented again, one of the two callers stole it. */
const USED_ONCE: ReadonlySet<string> = new Set(['AuthorizationCode', 'RefreshToken'])

export type AppsStore = Pick<AppsContext, 'database' | 'vault' | 'clock' | 'ledger'>

/** Ends the app of a grant, if it has one that is open. */
export async function endAppOfGrant(context: AppsStore, grantId: string, reason: EndReason): Promise<void> {
  const app = await selectAppOfGrant(context.database, context.vault, grantHashOf(context.vault, grantId))
  if (app === null || app.endedAt !== null) return
  await context.ledger.submit(endCommand(app, actorOf(app, reason), reason))
}

function actorOf(app: ConnectedApp, reason: EndReason) {
  return reason === 'disconnected by the app' ? appActor(app) : service('connected apps')
}

/** Stores what the library keeps. What ends in it ends the app: the app alone decides whether a token is good. */
export function adapterOf(context: AppsStore, documents: ClientDocuments, kind: string): Adapter {
  const now = () => context.clock.now()

  async function shown(id: string, record: OAuthRecord | null): Promise<Payload | undefined> {
    if (record === null) return undefined
    const { payload, consumedAt } = record
    if (kind === 'Grant') return (await isGrantOpen(context, id)) ? payload : undefined
    if (consumedAt === null || !USED_ONCE.has(kind)) return payload
    await endAppOfGrant(context, String(payload['grantId']), 'a code or refresh token was used twice')
    return { ...payload, consumed: Math.floor(consumedAt.getTime() / 1000) }
  }

  return {
    async upsert(id, payload, expiresInS) {
      const network = kind === 'Client' ? await placeForClient(context) : undefined
      const lifetimeMs = kind === 'Client' ? UNUSED_CLIENT_MS : (expiresInS ?? 0) * 1000
      const expiresAt = new Date(now().getTime() + lifetimeMs)
      await saveRecord(context, { kind, id, payload: { ...payload }, now: now(), expiresAt, network })
      const { grantId } = payload
      if (kind === 'AccessToken' && grantId !== undefined)
        await noteRedeemed(context.database, grantHashOf(context.vault, grantId), now())
    },
    async find(id) {
      const found = await shown(id, await findRecord(context, kind, id, now()))
      if (found !== undefined || kind !== 'Client') return found
      return (await documents.findLocal(id)) ?? undefined
    },
    async findByUid(uid) {
      return (await findRecordByUid(context, kind, uid, now()))?.payload
    },
    async findByUserCode() {
      return undefined
    },
    destroy: id => deleteRecord(context, kind, id),
    async consume(id) {
      if (await consumeRecord(context, kind, id, now())) return
      const record = await findRecord(context, kind, id, now())
      if (record !== null) await shown(id, record)
      throw new errors.InvalidGrant('it was used already')
    },
    revokeByGrantId: grantId => endAppOfGrant(context, grantId, 'disconnected by the app'),
  }
}

/** A grant is good as long as its app; before the owner has connected the app, it has none. */
async function isGrantOpen({ database, vault, clock }: AppsStore, grantId: string): Promise<boolean> {
  const app = await selectAppOfGrant(database, vault, grantHashOf(vault, grantId))
  return app === null || isOpen(app, clock.now().getTime())
}

/** Bounds how many clients register themselves, and returns the network that this one comes from. */
async function placeForClient(context: AppsStore): Promise<string> {
  const network = Provider.ctx?.get(NETWORK_HEADER) ?? ''
  if ((await countClients(context.database)) >= MOST_CLIENTS)
    throw new errors.TemporarilyUnavailable(
      'too many clients have registered themselves; try again in an hour',
    )
  await dropOldClients(context, network)
  return network
}
