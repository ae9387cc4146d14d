import { amounts, ist } from '../output.ts'
import { kindsOf, open, type Session } from '../session.ts'
import { describe, type Run, wholeNumberFrom } from './command.ts'

export function whoamiCommand(run: Run) {
  return describe({
    name: 'whoami',
    summary: 'Show who is logged in',
    description: 'The agent of the profile with its balance, else its platform, else its owner.',
    examples: ['batua whoami', 'batua whoami --json --profile work'],
  }).action(run(whoami))
}

async function whoami(session: Session): Promise<void> {
  const { out, signal } = session
  const access = await open(session, 'agent', 'platform', 'owner')
  const { client, kind, url, profile } = access
  const service = ['service', url] as const
  if (kind === 'agent') {
    const agent = await client.getCurrentAgent({}, { signal })
    out.body(agent)
    if (out.json) return
    const { available } = await client.getBalance({ agent_id: agent.agent_id }, { signal })
    out.facts([
      ['agent', agent.agent_id],
      ['handle', `@${agent.handle}`],
      ['name', agent.name],
      ['status', agent.status],
      ['tier', agent.tier],
      ['balance', `${available.toFixed(2)} INR`],
      service,
    ])
  } else if (kind === 'platform') {
    const platform = await client.getCurrentPlatform({}, { signal })
    out.body(platform)
    out.facts([
      ['platform', platform.platform_id],
      ['name', platform.name],
      ['status', platform.status],
      service,
    ])
  } else {
    const me = await client.getSession({}, { signal })
    out.body(me)
    out.facts([['owner', me.phone], ['logged in until', `${ist(me.expires_at)} IST`], service])
    out.table(
      ['OWNER', 'NAME', 'KYC', 'STATUS'],
      me.owners.map(owner => [owner.owner_id, owner.name, owner.kyc_status, owner.status]),
    )
  }
  const others = kindsOf(profile).filter(other => other !== kind)
  if (others.length > 0) out.note(`Also logged in as: ${others.join(', ')}`)
}

interface AgentsOptions {
  readonly status?: string
  readonly owner?: string
  readonly handle?: string
  readonly limit: number
  readonly cursor?: string
}

export function agentsCommand(run: Run) {
  return describe({
    name: 'agents',
    summary: 'List the agents of a platform or an owner',
    examples: ['batua agents --status active', 'batua agents --json | jq -r ".agents[].handle"'],
  })
    .option('--status <status>', 'only agents in this state')
    .option('--owner <owner_id>', 'only agents of this owner')
    .option('--handle <handle>', 'only the agent with this handle')
    .option('--limit <number>', 'how many, at most 100', wholeNumberFrom, 100)
    .option('--cursor <cursor>', 'the next_cursor of the page before')
    .action(run(agents))
}

async function agents(session: Session, options: AgentsOptions): Promise<void> {
  const { out, signal } = session
  const { client } = await open(session, 'platform', 'owner')
  const { status, owner, handle, limit, cursor } = options
  const input = {
    limit,
    ...(status === undefined ? {} : { status: status as 'active' }),
    ...(owner === undefined ? {} : { owner_id: owner }),
    ...(handle === undefined ? {} : { handle }),
    ...(cursor === undefined ? {} : { cursor }),
  }
  const page = await client.listAgents(input, { signal })
  out.body(page)
  out.table(
    ['AGENT', 'HANDLE', 'NAME', 'STATUS', 'TIER', amounts('KEY')],
    page.agents.map(agent => [
      agent.agent_id,
      `@${agent.handle}`,
      agent.name,
      agent.status,
      agent.tier,
      `…${agent.key_last4}`,
    ]),
  )
  if (page.pagination.next_cursor !== undefined)
    out.note(
      `${page.agents.length} of ${page.pagination.total}. More: --cursor ${page.pagination.next_cursor}`,
    )
}
