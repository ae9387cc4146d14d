import { type Client, type ClientOptions, type Credentials, createClient } from '@batua/sdk'
import { EXIT, Failure, usage } from './failure.ts'
import type { Invocation } from './main.ts'
import type { Output } from './output.ts'
import { KINDS, type Kind, type Profile, type Profiles } from './profiles.ts'

/** Options that every command takes. */
export interface GlobalOptions {
  readonly json?: boolean
  readonly profile: string
  readonly timeout: number
}

/** What a command works with. */
export interface Session extends Invocation {
  readonly out: Output
  readonly profiles: Profiles
  readonly timeoutMs: number
}

/** A credential, and a client that has it. */
export interface Access {
  readonly kind: Kind
  readonly url: string
  readonly client: Client
  readonly credentials: Credentials
  readonly profile: Profile | null
  /** The agent of the profile; null if its key came from the environment, so that it has to be asked. */
  readonly agentId: string | null
}

/** A person waits, and may repeat the command. */
const MAX_RETRIES = 1

export function clientFor(session: Session, baseUrl: string, more: Partial<ClientOptions> = {}): Client {
  try {
    return createClient({ baseUrl, timeoutMs: session.timeoutMs, maxRetries: MAX_RETRIES, ...more })
  } catch (error) {
    if (error instanceof TypeError) throw usage(error.message)
    throw error
  }
}

/** The address of the service: `BATUA_BASE_URL`, else the profile's. */
export async function serviceUrl(session: Session): Promise<string> {
  const url = session.env['BATUA_BASE_URL'] || (await session.profiles.read())?.url
  if (url) return url
  throw notLoggedIn(session, 'The address of the service is unknown')
}

/** A client without a credential. */
export async function openPublic(session: Session): Promise<Client> {
  return clientFor(session, await serviceUrl(session))
}

/** Access as the first of these kinds that is logged in. `BATUA_AGENT_KEY` comes before the profile's agent. */
export async function open(session: Session, ...kinds: readonly [Kind, ...Kind[]]): Promise<Access> {
  const found = await openIfPossible(session, ...kinds)
  if (found !== null) return found
  const whom = kinds.map(kind => `as ${kind === 'platform' ? 'a' : 'an'} ${kind}`).join(' or ')
  throw notLoggedIn(session, `Profile ${session.profiles.name} is not logged in ${whom}`, kinds[0])
}

export async function openIfPossible(session: Session, ...kinds: readonly Kind[]): Promise<Access | null> {
  const profile = await session.profiles.read()
  const url = session.env['BATUA_BASE_URL'] || profile?.url
  if (!url) return null
  // A secret is sent to the service that it was kept for, and to no other.
  const own = profile !== null && originOf(profile.url) === originOf(url) ? profile : null
  for (const kind of kinds) {
    const credentials = await credentialsOf(session, own, kind)
    if (credentials === null) continue
    const agentId = session.env['BATUA_AGENT_KEY'] ? null : (own?.agent?.agent_id ?? null)
    return { kind, url, credentials, profile: own, agentId, client: clientFor(session, url, credentials) }
  }
  return null
}

async function credentialsOf(
  { env, profiles }: Session,
  profile: Profile | null,
  kind: Kind,
): Promise<Credentials | null> {
  const agentKey = env['BATUA_AGENT_KEY']
  if (kind === 'agent' && agentKey) return { agentKey }
  const kept = profile?.[kind]
  if (profile === null || kept === undefined) return null
  const secret = await profiles.secret(kind, kept)
  if (kind === 'agent') return { agentKey: secret }
  if (kind === 'owner') return { sessionToken: secret }
  return { platformId: profile.platform?.platform_id ?? '', platformSecret: secret }
}

/** The agent that a command is about: the one named, else the one that is logged in. */
export async function agentOf(
  { signal }: Session,
  { kind, client, agentId }: Access,
  named?: string,
): Promise<string> {
  if (named !== undefined) return agentIdOf(client, named, signal)
  if (kind !== 'agent') throw usage('Name the agent with --agent')
  return agentId ?? (await client.getCurrentAgent({}, { signal })).agent_id
}

async function agentIdOf(client: Client, named: string, signal: AbortSignal): Promise<string> {
  if (named.startsWith('agt_')) return named
  const { agent_id: agentId } = await client.getAgentExistence({ agent_id: named }, { signal })
  if (agentId !== null) return agentId
  throw new Failure({ exit: EXIT.notFound, code: 'not_found', message: `There is no agent ${named}` })
}

/** The headers of a request that the client has no method for. */
export function credentialHeaders({ credentials, url }: Access): Record<string, string> {
  const { agentKey, platformId, platformSecret, sessionToken } = credentials
  return {
    ...(agentKey === undefined ? {} : { 'x-agent-key': agentKey }),
    ...(platformId === undefined ? {} : { 'x-platform-id': platformId }),
    ...(platformSecret === undefined ? {} : { 'x-platform-secret': platformSecret }),
    ...(sessionToken === undefined
      ? {}
      : { cookie: `service_session=${sessionToken}`, origin: originOf(url) ?? '' }),
  }
}

export function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}

/** Whether what is sent there stays on this machine. */
export function isThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Work that goes on until Ctrl-C, which is then no failure. */
export async function untilInterrupted({ signal }: Session, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const LOGIN_ARGUMENTS: Readonly<Record<Kind, string>> = {
  agent: '--agent-key-stdin',
  platform: '--platform plt_… --secret-stdin',
  owner: '--phone …',
}

function notLoggedIn({ profiles }: Session, message: string, kind: Kind = 'agent'): Failure {
  const profile = profiles.name === 'default' ? '' : ` --profile ${profiles.name}`
  return new Failure({
    exit: EXIT.notAllowed,
    code: 'authentication_error',
    message,
    hints: [`Log in: batua login${profile} --url https://… ${LOGIN_ARGUMENTS[kind]}`],
  })
}

/** The kinds that a profile is logged in as. */
export function kindsOf(profile: Profile | null): Kind[] {
  return KINDS.filter(kind => profile?.[kind] !== undefined)
}
