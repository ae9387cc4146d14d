import { type Client, isBatuaError } from '@batua/sdk'
import { canAsk, readSecret } from '../ask.ts'
import { BROWSER_COOKIE, cookieJar, SESSION_COOKIE } from '../cookies.ts'
import { EXIT, type ExitCode, Failure, usage } from '../failure.ts'
import { ist } from '../output.ts'
import { printable } from '../printable.ts'
import type { Kind, Profile } from '../profiles.ts'
import { clientFor, isThisMachine, kindsOf, open, originOf, type Session } from '../session.ts'
import { describe, type Run } from './command.ts'

interface LoginOptions {
  readonly url?: string
  readonly agentKeyStdin?: boolean
  readonly platform?: string
  readonly secretStdin?: boolean
  readonly phone?: string
  readonly codeStdin?: boolean
}

export function loginCommand(run: Run) {
  return describe({
    name: 'login',
    summary: 'Log in as an agent, a platform or an owner',
    description:
      'Secrets are read from standard input and kept in the keychain of the system, else in a file that only you may read. A profile can be logged in as one of each.',
    examples: [
      'echo "$AGENT_KEY" | batua login --url https://batua.example --agent-key-stdin',
      'echo "$SECRET" | batua login --url https://batua.example --platform plt_… --secret-stdin',
      'batua login --url https://batua.example --phone 9812345678',
      'echo "$CODE" | batua login --phone 9812345678 --code-stdin',
    ],
  })
    .option('--url <url>', 'the address of the service')
    .option('--agent-key-stdin', 'read an agent’s key from standard input')
    .option('--platform <platform_id>', 'log in as this platform')
    .option('--secret-stdin', 'read the platform’s secret from standard input')
    .option('--phone <number>', 'log in as the owner with this phone, to which a code is sent')
    .option('--code-stdin', 'read the code from standard input')
    .action(run(login))
}

async function login(session: Session, options: LoginOptions): Promise<ExitCode | void> {
  const url = await addressIn(session, options)
  const { platform, phone } = options
  if (phone !== undefined) return loginOwner(session, url, phone, options.codeStdin === true)
  if (platform !== undefined) return loginPlatform(session, url, platform, options.secretStdin === true)
  if (options.secretStdin) throw usage('Name the platform too: --platform plt_…')
  if (options.codeStdin) throw usage('Name the phone too: --phone …')
  if (options.agentKeyStdin || canAsk(session)) return loginAgent(session, url)
  throw usage('As whom? --agent-key-stdin, --platform ID --secret-stdin, or --phone NUMBER')
}

async function addressIn({ env, out, profiles }: Session, { url }: LoginOptions): Promise<string> {
  const address = url ?? (env['BATUA_BASE_URL'] || (await profiles.read())?.url)
  if (address === undefined) throw usage('Name the address of the service: --url https://…')
  if (!URL.canParse(address)) throw usage(`${address} is not a URL`)
  const target = new URL(address)
  if (target.protocol === 'http:' && !isThisMachine(target))
    out.note(`${target.origin} is not https: others in the network can read the secret`)
  return address
}

async function loginAgent(session: Session, url: string): Promise<void> {
  const agentKey = await readSecret(session, 'Agent key')
  const client = clientFor(session, url, { agentKey })
  const agent = await client.getCurrentAgent({}, { signal: session.signal })
  const kept = await session.profiles.keep('agent', agentKey)
  await keepLogin(session, url, client, {
    agent: { ...kept, agent_id: agent.agent_id, handle: agent.handle },
  })
  session.out.body(agent)
  say(session, `agent @${agent.handle} (${agent.agent_id})`, kept.keptIn)
}

async function loginPlatform(session: Session, url: string, id: string, isPiped: boolean): Promise<void> {
  if (!isPiped && !canAsk(session)) throw usage('Give the secret on standard input: --secret-stdin')
  const platformSecret = await readSecret(session, 'Platform secret')
  const client = clientFor(session, url, { platformId: id, platformSecret })
  const platform = await client.getCurrentPlatform({}, { signal: session.signal })
  const kept = await session.profiles.keep('platform', platformSecret)
  await keepLogin(session, url, client, { platform: { ...kept, platform_id: platform.platform_id } })
  session.out.body(platform)
  say(session, `platform ${platform.name} (${platform.platform_id})`, kept.keptIn)
}

/** Without a way to read the code, it is only sent: the next command takes it. */
async function loginOwner(session: Session, url: string, phone: string, isPiped: boolean): Promise<void> {
  if (!isPiped) {
    const sent = await sendCode(session, url, phone)
    session.out.note(`A code was sent to ${phone}`)
    if (!canAsk(session)) {
      session.out.body(sent)
      session.out.note('Log in with it: batua login --phone … --code-stdin')
      return
    }
  }
  const owner = await enterCode(session, url, phone)
  session.out.body(owner)
  say(session, `owner ${phone}, until ${ist(owner.expires_at)} IST`, 'profile')
}

async function sendCode(session: Session, url: string, phone: string) {
  const cookies = cookieJar()
  const client = clientFor(session, url, { fetch: cookies.fetch })
  const sent = await client.sendOtp({ phone }, { signal: session.signal })
  const before = await ownProfile(session, url)
  const code = { phone, sent_at: new Date().toISOString(), browser: cookies.value(BROWSER_COOKIE) }
  await session.profiles.write({ ...before, url, code })
  return sent
}

const CODE_LASTS_MS = 5 * 60_000

/** Reads the code and logs in with it. A code is sent first unless one was, of which this profile knows. */
export async function enterCode(session: Session, url: string, phone: string) {
  const before = await ownProfile(session, url)
  const known = before.code?.phone === phone ? before.code : null
  if (known === null || Date.now() - Date.parse(known.sent_at) > CODE_LASTS_MS) {
    // Refused if one was sent by other means a moment ago: then that one is meant.
    await sendCode(session, url, phone).catch(error => {
      if (!(isBatuaError(error) && error.code === 'rate_limit_exceeded')) throw error
    })
  }
  const code = await readSecret(session, 'Code')
  const browser = (await ownProfile(session, url)).code?.browser ?? null
  const cookies = cookieJar(browser)
  const client = clientFor(session, url, { fetch: cookies.fetch })
  const owner = await client.verifyOtp({ phone, code }, { signal: session.signal, idempotencyKey: null })
  const token = cookies.value(SESSION_COOKIE)
  if (token === null) throw new Error('The service opened no session; ask for a new code')
  const kept = await session.profiles.keep('owner', token)
  const change = { owner: { ...kept, phone, expires_at: owner.expires_at } }
  await keepLogin(session, url, clientFor(session, url), change)
  return owner
}

/** What this profile knows of this service; another service’s logins do not stay. */
async function ownProfile({ profiles }: Session, url: string): Promise<Profile> {
  const profile = await profiles.read()
  return profile !== null && originOf(profile.url) === originOf(url) ? profile : { url }
}

async function keepLogin(
  session: Session,
  url: string,
  client: Client,
  login: Partial<Pick<Profile, Kind>>,
): Promise<void> {
  const { code: _used, ...before } = await ownProfile(session, url)
  const keys = await client.getServiceKeys({}, { signal: session.signal })
  await session.profiles.write({ ...before, ...login, url, keys })
}

function say({ out, profiles }: Session, who: string, keptIn: string): void {
  out.lines(`Logged in as ${printable(who)}`)
  const where = keptIn === 'keychain' ? 'in the keychain' : `in ${profiles.folder}`
  out.note(`Profile ${profiles.name}, kept ${where}`)
}

export function logoutCommand(run: Run) {
  return describe({
    name: 'logout',
    summary: 'Forget the logins of a profile',
    description:
      'Ends the session of an owner too. Keys and secrets stay valid: rotate them if they may be known.',
    examples: ['batua logout', 'batua logout --profile work'],
  }).action(run(logout))
}

async function logout(session: Session): Promise<ExitCode> {
  const { out, profiles } = session
  const profile = await profiles.read()
  if (profile === null) {
    const message = `There is no profile ${profiles.name}`
    throw new Failure({ exit: EXIT.notFound, code: 'not_found', message })
  }
  if (profile.owner !== undefined) {
    const { client } = await open(session, 'owner')
    await client
      .logOut({}, { signal: session.signal })
      .catch(() => out.note('The session could not be ended'))
  }
  const forgotten = kindsOf(profile)
  await profiles.remove()
  out.body({ profile: profiles.name, forgotten })
  out.lines(`Profile ${profiles.name} is logged out`)
  return EXIT.done
}
